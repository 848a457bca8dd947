/* Simulates all ranks of a reduction in one process: runs the steps in the order of the tree, and
 * keeps messages in memory (player.h). */
#include "player.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../runtime/intercept/memory.h"

/* A message that its receiver has not read yet. */
struct letter {
  struct letter *next;
  int from;       /* rank of the sender */
  double arrives; /* seconds on the receiver's simulated clock */
  size_t n;       /* bytes */
  char bytes[];
};

/* The state of one simulated rank. */
struct played_rank {
  struct rank_comm comm;
  struct reduce_source source;
  struct reduction reduction;
  struct letter *letters; /* messages to this rank, not yet received, sorted by arrival */
};

/* The state of a simulation. */
struct game {
  struct player *player;
  struct played_rank *ranks;
  double since; /* processor time, in seconds, at which the current rank continued */
  int stopped;  /* 1: `open` failed, so no log is made */
};

/* --- time, as if every rank had its own processor ----------------------------- */

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* pause_clock adds the processor time since resume_clock to the clock of a rank. The time of the
 * simulation itself does not count. Both do nothing without clocks. */
static void pause_clock(struct game *game, int rank) {
  if (!game->player->clocks) return;
  double worked = processor_seconds() - game->since;
  game->player->clocks[rank].now += worked;
  game->player->clocks[rank].busy += worked;
}

static void resume_clock(struct game *game) {
  if (game->player->clocks) game->since = processor_seconds();
}

/* --- messages ------------------------------------------------------------------ */

/* Sends n bytes to rank `to`. Returns 0, or -1 if out of memory. */
static int player_send(struct rank_comm *comm, int to, const void *bytes, size_t n) {
  struct game *game = comm->context;
  struct player *player = game->player;
  pause_clock(game, comm->rank);
  if (player->lose && player->lose(player->context, comm->rank, to)) n = 0;
  struct letter *letter = malloc(sizeof(*letter) + n), **last = &game->ranks[to].letters;
  if (!letter) return -1;
  *letter = (struct letter){.from = comm->rank, .n = n};
  if (n) memcpy(letter->bytes, bytes, n);
  while (*last)
    last = &(*last)->next;
  *last = letter;
  if (player->clocks) {
    struct player_clock *clock = &player->clocks[comm->rank];
    letter->arrives = clock->now + player->seconds_per_message;
    clock->sent += n;
    if (n > clock->largest) clock->largest = n;
  }
  resume_clock(game);
  return 0;
}

/* Receives the oldest message from rank `from`. Stores its bytes in *bytes, memory of
 * private_memory that the caller releases; NULL with *n 0 for an empty message. Returns 0; -1 if
 * there is no message or if out of memory. */
static int player_receive(struct rank_comm *comm, int from, void **bytes, size_t *n) {
  struct game *game = comm->context;
  struct letter **at = &game->ranks[comm->rank].letters;
  pause_clock(game, comm->rank);
  *bytes = NULL;
  *n = 0;
  while (*at && (*at)->from != from)
    at = &(*at)->next;
  struct letter *letter = *at;
  if (!letter) return -1;
  *at = letter->next;
  int result = 0;
  if (letter->n > 0) {
    if ((*bytes = private_memory(letter->n))) memcpy(*bytes, letter->bytes, letter->n);
    result = *bytes ? 0 : -1;
  }
  *n = *bytes ? letter->n : 0;
  if (game->player->clocks) {
    struct player_clock *clock = &game->player->clocks[comm->rank];
    if (letter->arrives > clock->now) clock->now = letter->arrives;
    clock->received += letter->n;
  }
  free(letter);
  resume_clock(game);
  return result;
}

/* --- the order of the tree ------------------------------------------------------- */

/* Runs one step of a rank. */
static void step(struct game *game, int rank, enum reduce_step which) {
  resume_clock(game);
  reduce_step(&game->ranks[rank].reduction, which);
  pause_clock(game, rank);
}

static void open_rank(struct game *game, int rank) {
  struct player *player = game->player;
  if (player->open(player->context, rank, &game->ranks[rank].source) < 0) game->stopped = 1;
}

static void close_rank(struct game *game, int rank) {
  game->player->close(game->player->context, rank, &game->ranks[rank].source);
}

/* facts, records, places and result run one or two steps for a rank and all ranks below it in the
 * reduction tree. facts and places end with a step towards the root, so children come first. */
static void facts(struct game *game, int rank) {
  struct played_rank *self = &game->ranks[rank];
  for (int i = 0, child; (child = tree_child(rank, game->player->size, i)) >= 0; i++)
    facts(game, child);
  self->comm = (struct rank_comm){.rank = rank,
                                  .size = game->player->size,
                                  .context = game,
                                  .send = player_send,
                                  .receive = player_receive};
  open_rank(game, rank);
  reduce_begin(&self->reduction, &self->comm, &self->source);
  if (!game->stopped) step(game, rank, REDUCE_FACTS_UP);
  close_rank(game, rank);
}

static void records(struct game *game, int rank) {
  step(game, rank, REDUCE_FACTS_DOWN);
  for (int i = 0, child; (child = tree_child(rank, game->player->size, i)) >= 0; i++)
    records(game, child);
  if (game->ranks[rank].reduction.finished) return;
  open_rank(game, rank);
  step(game, rank, REDUCE_RECORDS_UP);
  close_rank(game, rank);
}

static void places(struct game *game, int rank) {
  step(game, rank, REDUCE_PLACES_DOWN);
  for (int i = 0, child; (child = tree_child(rank, game->player->size, i)) >= 0; i++)
    places(game, child);
  step(game, rank, REDUCE_WRITTEN_UP);
}

static void result(struct game *game, int rank) {
  step(game, rank, REDUCE_RESULT_DOWN);
  for (int i = 0, child; (child = tree_child(rank, game->player->size, i)) >= 0; i++)
    result(game, child);
}

static void drop_letters(struct played_rank *rank) {
  while (rank->letters) {
    struct letter *next = rank->letters->next;
    free(rank->letters);
    rank->letters = next;
  }
}

int player_run(struct player *player, signed char *statuses) {
  struct game game = {.player = player,
                      .ranks = calloc((size_t)player->size, sizeof(struct played_rank))};
  int worked = 0;
  if (!game.ranks) return -1;
  facts(&game, 0);
  if (!game.stopped) {
    records(&game, 0);
    places(&game, 0);
    result(&game, 0);
  }
  for (int rank = 0; rank < player->size; rank++) {
    int status = reduce_end(&game.ranks[rank].reduction);
    if (statuses) statuses[rank] = (signed char)status;
    if (rank == 0) worked = game.stopped ? -1 : status;
    drop_letters(&game.ranks[rank]);
  }
  free(game.ranks);
  return worked;
}
