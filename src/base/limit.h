/* Limits that are tiny in the hostile build, so that every test run reaches them. */
#ifndef SONDE_BASE_LIMIT_H
#define SONDE_BASE_LIMIT_H

#ifdef SONDE_HOSTILE
#define SONDE_LIMIT(usual, tiny) (tiny)
#else
#define SONDE_LIMIT(usual, tiny) (usual)
#endif

#endif
