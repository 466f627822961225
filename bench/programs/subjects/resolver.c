/* Fixed replies to what libpcap asks the system for: no host, network or protocol has a name, but the port http. */
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct hostent *gethostbyname(const char *name)
{
    (void)name;
    return NULL;
}

struct netent *getnetbyname(const char *name)
{
    (void)name;
    return NULL;
}

struct protoent *getprotobyname(const char *name)
{
    (void)name;
    return NULL;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    (void)name;
    (void)protocol;
    return NULL;
}

void freeaddrinfo(struct addrinfo *list)
{
    free(list);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
    (void)name;
    if (!service || strcmp(service, "http") != 0) return EAI_NONAME;
    struct {
        struct addrinfo info;
        struct sockaddr_in address;
    } *made = calloc(1, sizeof *made);
    if (!made) return EAI_MEMORY;
    made->address.sin_family = AF_INET;
    made->address.sin_port = htons(80);
    made->info.ai_family = AF_INET;
    made->info.ai_socktype = hints ? hints->ai_socktype : 0;
    made->info.ai_protocol = hints ? hints->ai_protocol : 0;
    made->info.ai_addr = (struct sockaddr *)&made->address;
    made->info.ai_addrlen = sizeof made->address;
    *list = &made->info;
    return 0;
}
