# What a parcel costs by its weight in grams. freight=1: above 10 kg it goes by lorry.
{
    if ($1 < 500)
        print "3.90"
    else if ($1 < 2000)
        print "5.90"
    else if ($1 <= 10000 || !freight)
        print "9.90"
    else
        print "by freight"
}
