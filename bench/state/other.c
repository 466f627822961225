/* State that sonde does not know: this file is compiled without sonde cc. */
int unknown_add(int x);
int unknown_add(int x)
{
    static int sum;
    return sum += x;
}
