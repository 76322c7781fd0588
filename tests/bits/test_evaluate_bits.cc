// The evaluator gives the same bits on native and on OpenCL.
#include "evaluate_fixture.h"

namespace {

TEST(EvaluateBits, NativeEqualsOpenCL) {
    for (bool is_compat : {false, true}) {
        SceneBuilder b = every_kind(is_compat);
        Evaluator opencl(b.view(), evaluate_options(0.02, false, 0, "cpu"));
        if (opencl.is_absent()) GTEST_SKIP() << "no OpenCL CPU device";
        const std::vector<UserState> states = random_states(b.view(), 200, 0.6, 5);
        Contacts ours = Evaluator(b.view(), evaluate_options(0.02)).run(states);
        EXPECT_GT(ours.row_count, 2000u);
        EXPECT_TRUE(same_contacts(ours, opencl.run(states)));
    }
}

TEST(EvaluateBits, ControlWithRelaxedMathDiffers) {
    SceneBuilder b = every_kind();
    EvaluateOptions options = evaluate_options(0.02, false, 0, "cpu");
    options.where.build_options = "-cl-fast-relaxed-math";
    options.where.allow_inexact = 1;
    Evaluator relaxed(b.view(), options);
    if (relaxed.is_absent()) GTEST_SKIP() << "no OpenCL CPU device";
    const std::vector<UserState> states = random_states(b.view(), 50, 0.6, 5);
    Contacts ours = Evaluator(b.view(), evaluate_options(0.02)).run(states);
    EXPECT_FALSE(same_contacts(ours, relaxed.run(states)));
}

} // namespace
