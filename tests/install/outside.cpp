// SPDX-License-Identifier: Apache-2.0
// The same in C++: handles that end themselves, and errors as exceptions.
// usage: outside [DATA]    (the folder that simulators are compiled from, where the library cannot know)
#include <carillon/carillon.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

template <class T, void (*end)(T *)> struct Ends {
    void operator()(T *handle) const { end(handle); }
};
template <class T, void (*end)(T *)> using Handle = std::unique_ptr<T, Ends<T, end>>;

void need(int error, const crl_diag &diag)
{
    if (error) throw std::runtime_error("error " + std::to_string(error) + ": " + diag.text);
}

} // namespace

int main(int argc, char **argv)
try {
    crl_context context{};
    context.data = argc > 1 ? argv[1] : nullptr;
    carillon_options options = carillon_defaults();
    options.words = 6;
    crl_diag diag{};
    carillon_problem *p = nullptr;
    carillon_schedule *s = nullptr;
    carillon_image *i = nullptr;
    need(carillon_problem_new(&p, &context, "all-to-all", "hypercube:2", &options, &diag), diag);
    const Handle<carillon_problem, carillon_problem_free> problem(p);
    need(carillon_plan(&s, problem.get(), &diag), diag);
    const Handle<carillon_schedule, carillon_schedule_free> schedule(s);
    need(carillon_check(schedule.get(), &diag), diag);
    need(carillon_lower(&i, schedule.get(), &diag), diag);
    const Handle<carillon_image, carillon_image_free> image(i);
    struct carillon_run run {
    }; // a function is called so, too
    need(carillon_run(&run, schedule.get(), image.get(), nullptr, &diag), diag);
    std::cout << carillon_result_name(run.result) << ": " << run.words << " words in " << run.cycles << " cycles\n";
    return 0;
} catch (const std::exception &e) {
    std::cerr << "outside: " << e.what() << '\n';
    return 1;
}
