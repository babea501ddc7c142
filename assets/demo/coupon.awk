# Percent off for a coupon code. fold=1: capital and small letters are the same.
{
    code = fold ? toupper($1) : $1
    percent["SPRING10"] = 10
    percent["WELCOME5"] = 5
    print (code in percent) ? percent[code] : 0
}
