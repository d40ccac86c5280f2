// Instrumented group copies, compiled before a checked source: OpenCL C's functions for work-group copies,
// as loops between stores to an address that no launch uses. copies.rs defines the layout and meaning of the
// stored values. Reports contain no line of this file.
#define event_t ulong
#define visakit_own static __attribute__((always_inline, nodebug, unused))
visakit_own size_t visakit_item(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
visakit_own size_t visakit_items(void) {
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
visakit_own void visakit_mark(uint field, uint value) {
    *(volatile __global uint *)(0x1000000000000000ul + visakit_item() * 128 + field * 4) = value;
}
visakit_own void visakit_long(uint field, ulong value) {
    visakit_mark(field, (uint)value);
    visakit_mark(field + 1, (uint)(value >> 32));
}
visakit_own void visakit_begin(ulong to, ulong from, size_t count, uint bytes, size_t to_step, size_t from_step, ulong event, uint kind) {
    visakit_long(2, to);
    visakit_long(4, from);
    visakit_long(6, count);
    visakit_long(8, to_step);
    visakit_long(10, from_step);
    visakit_long(12, event);
    visakit_mark(14, bytes);
    visakit_mark(0, kind);
}
visakit_own void visakit_event(ulong event) {
    visakit_long(12, event);
    visakit_mark(0, 4);
}
visakit_own __attribute__((overloadable)) bool visakit_is_local(const __local void *at) { return true; }
visakit_own __attribute__((overloadable)) bool visakit_is_local(const __global void *at) { return false; }
#define visakit_copy(to, from, count, step, event) ({ \
    __typeof__(&(to)[0]) visakit_to = (to); \
    __typeof__(&(from)[0]) visakit_from = (from); \
    size_t visakit_count = (count), visakit_step = (step); \
    event_t visakit_event_ = (event); \
    bool visakit_in = visakit_is_local(visakit_to); \
    size_t visakit_to_step = visakit_in ? 1 : visakit_step, visakit_from_step = visakit_in ? visakit_step : 1; \
    visakit_begin((ulong)visakit_to, (ulong)visakit_from, visakit_count, sizeof(*visakit_to), visakit_to_step, visakit_from_step, \
        visakit_event_, visakit_in ? 1 : 2); \
    for (size_t visakit_n = visakit_item(); visakit_n < visakit_count; visakit_n += visakit_items()) \
        visakit_to[visakit_n * visakit_to_step] = visakit_from[visakit_n * visakit_from_step]; \
    visakit_mark(0, 3); \
    visakit_event_ ? visakit_event_ : ((ulong)visakit_to << 1 | 1); })
#define async_work_group_copy(to, from, count, event) visakit_copy(to, from, count, 1, event)
#define async_work_group_strided_copy(to, from, count, step, event) visakit_copy(to, from, count, step, event)
#define wait_group_events(count, list) ({ \
    int visakit_count = (count); \
    event_t *visakit_list = (list); \
    for (int visakit_n = 0; visakit_n < visakit_count; visakit_n++) visakit_event(visakit_list[visakit_n]); \
    visakit_mark(0, 5); \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    visakit_mark(0, 6); })
