#include "lines.h"
int days_in(int year, int month);
long day_number(int year, int month, int day);
int weekday(int year, int month, int day);
bool is_date(int year, int month, int day);
