// The AND of the bytes of each group, by halves.
// run --global 32 --local 8 --arg a=range:u8:32:200 --arg o=zeros:4 --expect o=fill:u8:4:200,208,216,224
kernel void k(global const uchar* a, global uchar* o) {
    local uchar s[8];
    int l = get_local_id(0) + 1, n = get_local_size(0);
    s[l - 1] = a[get_global_id(0)];
    int d = 1;
    while (d < n) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = 2 * d * (l - 1) + 1;
        if (i <= n) {
            uchar x = (i + d <= n) ? s[i + d - 1] : 1;
            s[i - 1] &= x;
        }
        d *= 2;
    }
    if (l == 1) o[get_group_id(0)] = s[0];
}
