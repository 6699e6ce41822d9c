// Messages between blocks of a cluster (`kernels/groups/cluster.cuh`). An inbox counts missing bytes in its upper half;
// its lower half is twice the number of its phase, plus one after it was told how many bytes to expect.
struct Inbox {
    uint32_t phase;
    int32_t awaited;
};

static Inbox &inbox_of(const u64 *inbox) { return *reinterpret_cast<Inbox *>(const_cast<u64 *>(inbox)); }

static void come_in(Inbox &inbox)
{
    if (inbox.phase & 1 && inbox.awaited == 0) ++inbox.phase;
}

static void open_inboxes(SharedFlags *flags) { flags->inboxes[0] = flags->inboxes[1] = 0; }

template <typename Write> static void send(u32 block, u32 bytes, const u64 *inbox, Write write)
{
    Inbox &there = inbox_of(in_block(const_cast<u64 *>(inbox), block));
    send_late(block, [&there, bytes, write] {
        write();
        there.awaited -= static_cast<int32_t>(bytes);
        come_in(there);
    });
}

static void send_row(const real4 *to, u32 block, real4 row, const u64 *inbox)
{
    real4 *const place = in_block(const_cast<real4 *>(to), block);
    send(block, sizeof row, inbox, [place, row] { *place = row; });
}

static void send_word(const u32 *to, u32 block, u32 word, const u64 *inbox)
{
    u32 *const place = in_block(const_cast<u32 *>(to), block);
    send(block, sizeof word, inbox, [place, word] { *place = std::max(*place, word); });
}

static void expect(const u64 *inbox, u32 bytes)
{
    Inbox &here = inbox_of(inbox);
    if (here.phase & 1) {
        fprintf(stderr, "an inbox is set twice for one step\n");
        abort();
    }
    here.phase |= 1;
    here.awaited += static_cast<int32_t>(bytes);
    come_in(here);
}

static bool has_come(const u64 *inbox, u32 parity)
{
    const Inbox &here = inbox_of(inbox);
    const bool done = (here.phase >> 1 & 1) != parity;
    // Lets the other fibers run meanwhile.
    if (!done) wait_as(RUNNING);
    return done;
}
