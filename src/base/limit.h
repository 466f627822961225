/* Limits that the hostile build makes tiny, so that what happens at a limit happens in every run of the tests. */
#ifndef SONDE_BASE_LIMIT_H
#define SONDE_BASE_LIMIT_H

#ifdef SONDE_HOSTILE
#define SONDE_LIMIT(usual, tiny) (tiny)
#else
#define SONDE_LIMIT(usual, tiny) (usual)
#endif

#endif
