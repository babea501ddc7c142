# The number on an invoice, from the year and the count of that year.
{
    printf "R-%04d-%05d\n", $1, $2
}
