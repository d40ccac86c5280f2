// Functions and a variable that other modules import.

global int calls = 5;

int twice(int n) {
    calls += 1;
    return n * 2 + calls;
}

int thrice(int n) {
    return n * 3;
}

kernel void count(global int *data) {
    data[0] = calls;
}
