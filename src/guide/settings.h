/* The settings of a guide: "name=value,name=value" as --guide-options gives them. */
#ifndef SONDE_GUIDE_SETTINGS_H
#define SONDE_GUIDE_SETTINGS_H

/* The number given for a name; `otherwise` if there is none. `options` may be NULL. */
double sonde_setting(const char *options, const char *name, double otherwise);

#endif
