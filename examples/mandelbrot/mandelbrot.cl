// Escape-time Mandelbrot set. Neighbouring pixels leave the loop after different numbers of steps, so the
// channels of one instruction diverge. steps[] gets the number of iterations of each pixel, `limit` inside the set.
//
// Contraction is off and every fused multiply-add is written out, so that a host computation with
// f32::mul_add gives the same bits for every pixel.
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *steps, uint width, uint height,
                       float left, float top, float pitch, uint limit)
{
    uint px = get_global_id(0);
    uint py = get_global_id(1);
    if (px >= width || py >= height)
        return;

    float cr = fma(pitch, (float)px, left);
    float ci = fma(pitch, (float)py, top);
    float zr = 0.0f, zi = 0.0f;
    uint n = 0;
    while (n < limit) {
        float rr = zr * zr;
        float ii = zi * zi;
        if (rr + ii > 4.0f)
            break;
        zi = fma(2.0f * zr, zi, ci);
        zr = rr - ii + cr;
        ++n;
    }
    steps[py * width + px] = n;
}
