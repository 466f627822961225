/* Labels: an id is the content's, whatever the address; and the table has bounds. */
#include "lib/mocka.h"
#include "lib/short.h"

#include "tape/label.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void equal_texts_have_one_id(void **state)
{
    (void)state;
    struct sonde_labels labels;
    char here[] = "left", there[] = "left";
    sonde_labels_init(&labels);
    uint32_t id = sonde_label_id(&labels, here);
    assert_int_not_equal(id, 0);
    assert_int_equal(sonde_label_id(&labels, there), id);
    assert_int_equal(sonde_label_intern(&labels, "left"), id);
    assert_int_equal(labels.n, 1);
    sonde_labels_clear(&labels);
}

static void a_rewritten_buffer_is_another_label(void **state)
{
    (void)state;
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    char buffer[16] = "x1";
    uint32_t first = sonde_label_id(&labels, buffer);
    assert_int_equal(sonde_label_id(&labels, buffer), first);
    strcpy(buffer, "x2");
    uint32_t second = sonde_label_id(&labels, buffer);
    assert_int_not_equal(first, second);
    assert_string_equal(sonde_label_text(&labels, first), "x1");
    assert_string_equal(sonde_label_text(&labels, second), "x2");
    strcpy(buffer, "x"); /* a part of what was there */
    assert_string_equal(sonde_label_text(&labels, sonde_label_id(&labels, buffer)), "x");
    strcpy(buffer, "x1");
    assert_int_equal(sonde_label_id(&labels, buffer), first);
    sonde_labels_clear(&labels);
}

static void ids_do_not_depend_on_the_table(void **state)
{
    (void)state;
    struct sonde_labels one, other;
    sonde_labels_init(&one);
    sonde_labels_init(&other);
    for (char c = 'a'; c <= 'z'; c++) sonde_label_intern_n(&other, &c, 1);
    assert_int_equal(sonde_label_intern(&one, "value"), sonde_label_intern(&other, "value"));
    sonde_labels_clear(&one);
    sonde_labels_clear(&other);
}

static void many_labels_keep_their_texts(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct sonde_labels labels;
    static uint32_t ids[N];
    char text[32];
    sonde_labels_init(&labels);
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "label %d", i);
        ids[i] = sonde_label_intern(&labels, text);
    }
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "label %d", i);
        assert_string_equal(sonde_label_text(&labels, ids[i]), text);
        assert_int_equal(sonde_label_find_n(&labels, text, strlen(text)), ids[i]);
    }
    sonde_labels_clear(&labels);
}

static void the_empty_label_is_a_label(void **state)
{
    (void)state;
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    uint32_t id = sonde_label_intern(&labels, "");
    assert_int_not_equal(id, 0);
    assert_string_equal(sonde_label_text(&labels, id), "");
    sonde_labels_clear(&labels);
}

static void finding_does_not_intern(void **state)
{
    (void)state;
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    assert_int_equal(sonde_label_find_n(&labels, "x", 1), 0);
    sonde_label_intern(&labels, "y");
    assert_int_equal(sonde_label_find_n(&labels, "x", 1), 0);
    assert_int_equal(labels.n, 1);
    sonde_labels_clear(&labels);
}

static void an_unknown_id_has_a_question_mark_for_its_text(void **state)
{
    (void)state;
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    assert_string_equal(sonde_label_text(&labels, 5), "?");
    sonde_label_intern(&labels, "y");
    assert_string_equal(sonde_label_text(&labels, 5), "?");
    assert_string_equal(sonde_label_text(&labels, 0), "?");
    sonde_labels_clear(&labels);
}

static void a_label_that_is_too_long_is_refused(void **state)
{
    (void)state;
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    char *text = malloc(SONDE_LABEL_LENGTH_MAX + 2);
    memset(text, 'x', SONDE_LABEL_LENGTH_MAX + 1);
    text[SONDE_LABEL_LENGTH_MAX + 1] = '\0';
    assert_int_equal(sonde_label_id(&labels, text), 0);
    text[SONDE_LABEL_LENGTH_MAX] = '\0';
    assert_int_not_equal(sonde_label_id(&labels, text), 0);
    free(text);
    sonde_labels_clear(&labels);
}

static void a_full_table_knows_its_labels_and_takes_no_more(void **state)
{
    (void)state;
    if (is_short()) return;
    struct sonde_labels labels;
    char text[32];
    sonde_labels_init(&labels);
    for (int i = 0; i < SONDE_LABELS_MAX; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_not_equal(sonde_label_intern(&labels, text), 0);
    }
    assert_int_equal(sonde_label_intern(&labels, "one more"), 0);
    assert_int_not_equal(sonde_label_intern(&labels, "0"), 0);
    sonde_labels_clear(&labels);
}

/* One thread interns, as a worker does; another one, as the supervisor does, takes what is there so far. */
static void *intern_many(void *arg)
{
    struct sonde_labels *labels = arg;
    char text[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "label %d", i);
        sonde_label_intern(labels, text);
    }
    return NULL;
}

static void labels_are_taken_while_they_grow(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        struct sonde_labels from, to;
        pthread_t writer;
        sonde_labels_init(&from);
        sonde_labels_init(&to);
        assert_int_equal(pthread_create(&writer, NULL, intern_many, &from), 0);
        while (to.n < 10000) sonde_labels_take(&to, &from);
        pthread_join(writer, NULL);
        sonde_labels_take(&to, &from);
        assert_int_equal(to.n, 20000);
        uint32_t id = sonde_label_find_n(&to, "label 7", 7);
        assert_string_equal(sonde_label_text(&from, id), "label 7");
        sonde_labels_clear(&from);
        sonde_labels_clear(&to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_have_one_id),
        cmocka_unit_test(a_rewritten_buffer_is_another_label),
        cmocka_unit_test(ids_do_not_depend_on_the_table),
        cmocka_unit_test(many_labels_keep_their_texts),
        cmocka_unit_test(the_empty_label_is_a_label),
        cmocka_unit_test(finding_does_not_intern),
        cmocka_unit_test(an_unknown_id_has_a_question_mark_for_its_text),
        cmocka_unit_test(a_label_that_is_too_long_is_refused),
        cmocka_unit_test(a_full_table_knows_its_labels_and_takes_no_more),
        cmocka_unit_test(labels_are_taken_while_they_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
