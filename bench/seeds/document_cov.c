/* See seeds.h. A document is valid if each element is in one that allows it and has the attribute that it needs. */
#include "seeds/seeds.h"

enum { ROOT, SECTION, LIST, TABLE, TITLE, ITEM, ROW, CELL };

static bool may_hold(int parent, int child)
{
    switch (parent) {
    case ROOT: return child == SECTION || child == LIST || child == TABLE;
    case SECTION: return child == TITLE || child == ITEM;
    case LIST: return child == ITEM || child == LIST || child == TITLE;
    case TABLE: return child == ROW || child == CELL;
    case ITEM: return child == CELL;
    case ROW: return child == CELL || child == TITLE;
    default: return false;
    }
}

static bool has_right_attribute(const struct seeds_element *e)
{
    if (e->tag % 3 == 1) return e->attribute == e->tag % 4; /* it needs one */
    return e->attribute != (e->tag + 1) % 4;                /* any but this one */
}

static bool is_valid_in(const struct seeds_element *e, int parent)
{
    if (parent < 0 ? e->tag != ROOT : !may_hold(parent, e->tag)) return false;
    if (!has_right_attribute(e)) return false;
    for (size_t i = 0; i < e->n; i++)
        if (!is_valid_in(e->children[i], e->tag)) return false;
    return true;
}

bool seeds_document_is_valid(const struct seeds_element *root)
{
    return is_valid_in(root, -1);
}

/* ---- Layout */

static int render(const struct seeds_element *e, int depth);

static int sum_of(const struct seeds_element *e, int depth)
{
    int height = 0;
    for (size_t i = 0; i < e->n; i++) height += render(e->children[i], depth + 1);
    return height;
}

static int highest_of(const struct seeds_element *e, int depth)
{
    int height = 0;
    for (size_t i = 0; i < e->n; i++) {
        int h = render(e->children[i], depth + 1);
        if (h > height) height = h;
    }
    return height;
}

static int render_section(const struct seeds_element *e, int depth)
{
    int height = 0;
    if (e->n == 0) return 1;
    if (e->children[0]->tag == TITLE) height += 3;
    if (e->n > 1 && e->children[0]->tag == TITLE && e->children[1]->tag == TITLE) height += 1; /* a subtitle */
    if (e->n == SEEDS_CHILDREN) height += 2;
    return height + sum_of(e, depth);
}

static int render_list(const struct seeds_element *e, int depth)
{
    int height = sum_of(e, depth), inner = 0;
    if (depth >= 3) height += 7; /* indented beyond the margin */
    for (size_t i = 0; i < e->n; i++) inner += e->children[i]->tag == LIST;
    if (inner == 1) height += 2;
    else if (inner > 1) height += 4;
    if (e->attribute == 0) height *= 2;
    else if (e->attribute == 1 && e->n > 2) height -= 1;
    return height;
}

static int render_table(const struct seeds_element *e, int depth)
{
    size_t width = 0, rows = 0;
    bool is_ragged = false;
    for (size_t i = 0; i < e->n; i++) {
        if (e->children[i]->tag != ROW) continue;
        rows++;
        if (rows > 1 && e->children[i]->n != width) is_ragged = true;
        if (e->children[i]->n > width) width = e->children[i]->n;
    }
    int height = sum_of(e, depth);
    if (rows == 0) return height;
    if (rows >= 2 && width >= 2) height += is_ragged ? 5 : 3;
    if (rows == e->n && rows >= 3) height += 1;
    if (width == SEEDS_CHILDREN && e->attribute == 2) height += 9;
    return height;
}

static int render_row(const struct seeds_element *e, int depth)
{
    int titles = 0;
    for (size_t i = 0; i < e->n; i++) titles += e->children[i]->tag == TITLE;
    if (titles && (size_t)titles == e->n) return 2 + highest_of(e, depth);
    if (titles == 1 && e->children[0]->tag == TITLE && e->n >= 3) return 4 + highest_of(e, depth);
    return highest_of(e, depth);
}

static int render_item(const struct seeds_element *e, int depth)
{
    switch (e->attribute) {
    case 0: return 1 + sum_of(e, depth);
    case 1: return 2 + highest_of(e, depth);
    case 3: return e->n > 2 ? 6 : 5;
    default: return e->n == 0 ? 1 : sum_of(e, depth);
    }
}

static int render(const struct seeds_element *e, int depth)
{
    switch (e->tag) {
    case ROOT: return sum_of(e, depth);
    case SECTION: return render_section(e, depth);
    case LIST: return render_list(e, depth);
    case TABLE: return render_table(e, depth);
    case TITLE: return depth > 2 ? 1 : 2;
    case ITEM: return render_item(e, depth);
    case ROW: return render_row(e, depth);
    default: return e->attribute == 3 ? 2 : 1;
    }
}

int seeds_document_render(const struct seeds_element *root)
{
    int height = render(root, 0), sections = 0, tables = 0;
    for (size_t i = 0; i < root->n; i++) {
        sections += root->children[i]->tag == SECTION;
        tables += root->children[i]->tag == TABLE;
    }
    if (sections >= 2 && tables >= 1) height += 10; /* a list of tables */
    if (sections == SEEDS_CHILDREN) height += 20;   /* an index */
    if (height > 30) height += height / 30;         /* page numbers */
    return height;
}
