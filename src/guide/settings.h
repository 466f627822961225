/* The settings of a guide: "name=value,name=value" as --guide-options gives them. */
#ifndef SONDE_GUIDE_SETTINGS_H
#define SONDE_GUIDE_SETTINGS_H

/* The number given for a name; `otherwise` if there is none. `options` may be NULL. */
double sonde_setting(const char *options, const char *name, double otherwise);
/* The first part of the options that is not NAME=VALUE with a name that some guide knows; NULL if all are. */
const char *sonde_settings_wrong(const char *options);
/* What is written for a name, up to a comma or the end; NULL if there is nothing. */
const char *sonde_setting_text(const char *options, const char *name);

#endif
