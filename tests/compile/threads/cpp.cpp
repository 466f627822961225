/* Threads of C++ under control: std::thread starts them in the C++ library, which is not instrumented. */
#include <sonde.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

template <class First, class Second> static void both(First first, Second second)
{
    std::thread a(first), b(second);
    a.join();
    b.join();
}

#define RUN(name)                                                                                                      \
    static void name##_run(sonde *t, void *);                                                                          \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        sonde_threads(t, "run", name##_run, nullptr);                                                                  \
    }                                                                                                                  \
    static void name##_run(sonde *t, void *)

static int counter;

RUN(lost_update)
{
    counter = 0;
    both([] { counter++; }, [] { counter++; });
    sonde_check_eq(t, counter, 2);
}

RUN(relaxed_update)
{
    std::atomic<int> value{0};
    auto add = [&] { value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); };
    both(add, add);
    sonde_check_eq(t, value.load(), 2);
}

RUN(lock_order)
{
    std::mutex x, y;
    (void)t;
    both(
        [&] {
            std::lock_guard<std::mutex> first(x), second(y);
        },
        [&] {
            std::lock_guard<std::mutex> first(y), second(x);
        });
}

RUN(shared_pointer)
{
    auto text = std::make_shared<std::string>("longer than what a string holds without an allocation");
    both([&] { text.reset(); },
         [&] {
             auto own = text;
             if (own) sonde_check(t, own->size() == 53);
         });
}

RUN(if_not_while)
{
    std::mutex m;
    std::condition_variable changed;
    std::queue<int> queue;
    auto take = [&] {
        std::unique_lock<std::mutex> lock(m);
        if (queue.empty()) changed.wait(lock);
        sonde_check(t, !queue.empty());
        queue.pop();
    };
    std::thread taker(take), other(take);
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> lock(m);
        queue.push(i);
        changed.notify_all();
    }
    taker.join();
    other.join();
}

RUN(not_joined)
{
    (void)t;
    std::thread a([] { counter++; });
}

struct counted {
    std::atomic<int> *count;
    ~counted() { ++*count; }
};
static thread_local std::unique_ptr<counted> mine;

RUN(right_locals)
{
    std::atomic<int> destroyed{0};
    auto hold = [&] { mine.reset(new counted{&destroyed}); };
    both(hold, hold);
    sonde_check_eq(t, destroyed.load(), 2);
}

RUN(right_exceptions)
{
    std::mutex m;
    int sum = 0;
    auto add = [&] {
        try {
            throw 5;
        } catch (int five) {
            std::lock_guard<std::mutex> lock(m);
            try {
                throw std::runtime_error("inside of another");
            } catch (const std::exception &) {
                sum += five;
            }
        }
    };
    both(add, add);
    sonde_check_eq(t, sum, 10);
}

RUN(right_exit)
{
    std::atomic<int> destroyed{0};
    std::thread a([&] {
        counted object{&destroyed};
        pthread_exit(nullptr);
    });
    a.join();
    sonde_check_eq(t, destroyed.load(), 1);
}

RUN(right_library)
{
    std::once_flag once;
    std::shared_mutex rw;
    std::promise<int> promise;
    auto future = promise.get_future();
    int first = 0, second = 0, calls = 0;
    auto from = std::chrono::steady_clock::now();
    both(
        [&] {
            std::call_once(once, [&] { calls++; });
            std::unique_lock<std::shared_mutex> lock(rw);
            first++;
            second++;
            lock.unlock();
            promise.set_value(7);
            std::this_thread::sleep_for(std::chrono::hours(1));
        },
        [&] {
            std::call_once(once, [&] { calls += 10; });
            std::shared_lock<std::shared_mutex> lock(rw);
            sonde_check_eq(t, first, second);
            lock.unlock();
            sonde_check_eq(t, future.get(), 7);
        });
    sonde_check(t, calls == 1 || calls == 10);
    sonde_check(t, std::chrono::steady_clock::now() - from >= std::chrono::hours(1));
    sonde_check_eq(t, std::async(std::launch::async, [] { return 3; }).get(), 3);
}

SONDE_MAIN()
