// Variables of the program.
// where it compiles
// run --options -cl-std=CL3.0 --global 16 --local 16 --arg o=zeros:64 --expect o=fill:i32:16:15,25,35,45
global int counter = 5;
global int table[4] = {10, 20, 30, 40};
kernel void k(global int* o) {
    int g = get_global_id(0);
    o[g] = table[g & 3] + counter;
}
