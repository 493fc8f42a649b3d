import { expect, test } from 'vitest'
import { EndpointQueues, INITIAL_WINDOW, MAX_REMEMBERED, MAX_TEAM_IN_FLIGHT, MAX_WINDOW } from './endpoint-queues.ts'

interface Row {
  readonly team: string
  readonly webhookId: string
  readonly number: number
}

const rows = (webhookId: string, count: number): Row[] =>
  Array.from({ length: count }, (_, number) => ({ team: webhookId[0]!, webhookId, number }))

/** EndpointQueues that note what has begun. */
function start() {
  const begun: Row[] = []
  const queues = new EndpointQueues<Row>((row) => begun.push(row))
  return {
    begun,
    /** Brings so much to an endpoint, as if that was all that is due. */
    bring(webhookId: string, count: number) {
      queues.ask()
      queues.enter(rows(webhookId, count))
    },
    slotsOf: (webhookId: string) => queues.ask().find((one) => one.webhookId === webhookId)?.slots,
    leave: (webhookId: string, isOverwhelmed = false) => queues.leave(webhookId, { isOverwhelmed }),
    queues,
  }
}

test('an endpoint that answers gets more and more at a time, up to a bound', () => {
  const { begun, bring, slotsOf, leave } = start()
  let inFlight = 0
  let most = 0

  for (let round = 0; round < 10; round++) {
    const before = begun.length
    bring('a', slotsOf('a') ?? INITIAL_WINDOW)
    inFlight += begun.length - before
    most = Math.max(most, inFlight)
    while (inFlight > 0) {
      const earlier = begun.length
      leave('a')
      inFlight += begun.length - earlier - 1
      most = Math.max(most, inFlight)
    }
  }

  expect(most).toBe(MAX_WINDOW)
})

test('what an endpoint gets begins in its order', () => {
  const { begun, bring, leave } = start()
  bring('a', INITIAL_WINDOW)
  for (let n = 0; n < INITIAL_WINDOW; n++) leave('a')
  bring('a', 3)

  expect(begun.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 0, 1, 2])
})

test('an endpoint that does not answer keeps one slot, and the first answer opens its queue again', () => {
  const { begun, bring, slotsOf, leave } = start()
  bring('dead', INITIAL_WINDOW)
  for (let n = 0; n < INITIAL_WINDOW; n++) leave('dead', true)
  expect(slotsOf('dead')).toBe(1)

  bring('dead', 1)
  expect(begun).toHaveLength(INITIAL_WINDOW + 1)
  expect(slotsOf('dead')).toBe(0)
  leave('dead')

  expect(slotsOf('dead')).toBe(2)
})

test('a wide queue that breaks down goes on with what it holds one by one', () => {
  const { begun, bring, leave } = start()
  bring('a', INITIAL_WINDOW)
  leave('a')
  bring('a', 3)
  const before = begun.length
  expect(before).toBe(INITIAL_WINDOW + 2)

  for (let n = 0; n < 6; n++) leave('a', true)

  expect(begun).toHaveLength(before + 1)
})

test('while what it took is under way there is no room for more', () => {
  const { queues } = start()
  queues.enter([...rows('a', INITIAL_WINDOW), ...rows('b', 2)])

  expect(queues.ask()).toEqual([
    { webhookId: 'a', slots: 0 },
    { webhookId: 'b', slots: INITIAL_WINDOW - 2 },
  ])
})

test('it is worth claiming more when a queue that was filled has no more than is under way', () => {
  const { queues, leave } = start()
  queues.enter([...rows('full', INITIAL_WINDOW), ...rows('other', 1)])

  expect(leave('other')).toBeNull()
  expect(leave('full')).toBe('deliveries')
})

test('a claim that brings less than it might have brought everything', () => {
  const { bring, leave } = start()
  bring('a', INITIAL_WINDOW)
  leave('a')
  bring('a', 1)

  expect(Array.from({ length: INITIAL_WINDOW }, () => leave('a'))).not.toContain('deliveries')
})

test('an endpoint that is well and has nothing to do is forgotten, one that is not is remembered', () => {
  const { queues, leave } = start()
  queues.enter([...rows('well', 1), ...rows('dead', 1)])
  leave('well')
  leave('dead', true)

  expect(queues.ask()).toEqual([{ webhookId: 'dead', slots: 1 }])
})

test('a team with many endpoints has its share of the rows in flight, and an endpoint of another has all it may', () => {
  const { bring, leave, queues, begun } = start()
  /** Answers everything, and takes what there is room for, as if more were due than ever fits. */
  const round = (webhookIds: readonly string[]) => {
    const free = new Map(queues.ask().map(({ webhookId, slots }) => [webhookId, slots]))
    queues.enter(webhookIds.flatMap((id) => rows(id, free.get(id) ?? INITIAL_WINDOW)))
  }
  const many = Array.from({ length: 40 }, (_, n) => `a${n}`)
  for (let n = 0; n < 60; n++) {
    const before = begun.length
    round(many)
    for (const { webhookId } of begun.slice(before)) leave(webhookId)
  }
  bring('b0', INITIAL_WINDOW)

  const free = queues.ask()
  const slotsOf = (team: string) =>
    free.filter(({ webhookId }) => webhookId.startsWith(team)).reduce((sum, { slots }) => sum + slots, 0)
  expect(slotsOf('a')).toBeLessThanOrEqual(MAX_TEAM_IN_FLIGHT)
  queues.enter(
    free.filter(({ webhookId }) => webhookId !== 'b0').flatMap(({ webhookId, slots }) => rows(webhookId, slots)),
  )

  const full = queues.ask()
  expect(full.filter(({ webhookId, slots }) => webhookId.startsWith('a') && slots > 0)).toEqual([])
  expect(queues.ask().find(({ webhookId }) => webhookId === 'b0')!.slots).toBe(0)
  leave('b0')
  expect(queues.ask().find(({ webhookId }) => webhookId === 'b0')!.slots).toBeGreaterThan(0)
})

test('endpoints that have nothing to do leave the share of their team to those that have', () => {
  const { leave, queues, begun } = start()
  /** A claim, and answers to all that it brings. `due` of each endpoint, or more than ever fits. */
  const claim = (webhookIds: readonly string[], due = Number.POSITIVE_INFINITY) => {
    const before = begun.length
    const free = new Map(queues.ask().map(({ webhookId, slots }) => [webhookId, slots]))
    const isMore = queues.enter(webhookIds.flatMap((id) => rows(id, Math.min(due, free.get(id) ?? INITIAL_WINDOW))))
    for (let n = before; n < begun.length; n++) leave(begun[n]!.webhookId)
    return isMore
  }
  const many = Array.from({ length: 40 }, (_, n) => `a${n}`)
  for (let n = 0; n < 60; n++) claim(many)

  for (const webhookId of many.toReversed()) {
    const before = begun.length
    let claims = 1
    while (claim([webhookId], 7) && begun.length === before) claims++

    expect(begun.length - before).toBeGreaterThan(0)
    expect(claims).toBeLessThanOrEqual(many.length)
  }
})

test('of an endpoint of a sandbox nothing is remembered once it has nothing to do, also when it fails', () => {
  const queues = new EndpointQueues<Row>(() => {})
  const fail = (team: string) => {
    queues.ask()
    queues.enter([{ team, webhookId: team, number: 0 }])
    queues.leave(team, { isOverwhelmed: true })
  }

  fail('01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f')
  fail('01932b5c-7d3e-8c46-9a51-6f6f0c1d2e3f')

  expect(queues.ask().map(({ webhookId }) => webhookId)).toEqual(['01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'])
})

test('new deliveries enter beside a claim only while nothing of their endpoint waits in the ledger', () => {
  const { queues, leave, begun } = start()
  queues.enterNew(rows('a', 2), [])
  expect(queues.askForNew()).toEqual({
    slots: [{ webhookId: 'a', slots: INITIAL_WINDOW - 2 }],
    limits: [{ team: 'a', events: INITIAL_WINDOW - 2 }],
  })

  queues.enterNew(rows('a', 3), ['a'])

  expect(begun).toHaveLength(5)
  expect(queues.askForNew()).toEqual({ slots: [{ webhookId: 'a', slots: 0 }], limits: [{ team: 'a', events: 0 }] })
  expect(leave('a')).toBe('deliveries')
  queues.ask()
  queues.enter([])
  expect(queues.askForNew().slots).toEqual([{ webhookId: 'a', slots: expect.any(Number) }])
  expect(queues.askForNew().slots[0]!.slots).toBeGreaterThan(0)
})

test('events that wait for free slots are worth looking for when the queue is low', () => {
  const { queues, leave } = start()
  queues.enterNew(rows('a', INITIAL_WINDOW), [])
  queues.expectEvents(new Set(['a']))

  const next = Array.from({ length: INITIAL_WINDOW }, () => leave('a'))

  expect(next[0]).toBeNull()
  expect(next.at(-1)).toBe('events')
  expect([...queues.takeRefillable(10)]).toEqual(['a'])
  // The refill is under way, and another one would be of nothing.
  expect(queues.isRefillDue).toBe(false)
  queues.enterNew([], [])
  expect(queues.findRefillable()).toBe(true)
  queues.expectEvents(new Set())
  expect(queues.askForNew().slots).toEqual([])
  expect([...queues.takeRefillable(10)]).toEqual([])
})

test('a refill is for the teams that have free slots, and several endpoints share it', () => {
  const { queues, leave } = start()
  const teams = Array.from({ length: 12 }, (_, n) => `${String.fromCharCode(97 + n)}`)
  queues.enterNew(
    teams.flatMap((team) => rows(team, 3)),
    [],
  )
  queues.expectEvents(new Set(teams))

  const due = teams.slice(0, 6).map((team) => {
    leave(team)
    return queues.isRefillDue
  })

  // Half of those that wait.
  expect(due).toEqual([false, false, false, false, false, true])
  expect([...queues.takeRefillable(4)]).toEqual(['a', 'b', 'c', 'd'])
  expect([...queues.takeRefillable(4)]).toEqual(['e', 'f'])
  expect(queues.askForNew(new Set(['a', 'g'])).limits.map(({ team }) => team)).toEqual(['a', 'g'])
})

test('free slots for many events are a reason for a refill, also of one endpoint beside many others', () => {
  const { queues, leave } = start()
  const others = Array.from({ length: 20 }, (_, n) => `${String.fromCharCode(98 + n)}`)
  queues.enterNew([...rows('a', MAX_WINDOW * 2), ...others.flatMap((team) => rows(team, 3))], [])
  queues.expectEvents(new Set(['a', ...others]))

  while (leave('a') !== 'events') expect(queues.isRefillDue).toBe(false)

  expect(queues.isRefillDue).toBe(true)
})

test('of a batch that did not look at all teams, the others are still expected to have events', () => {
  const { queues } = start()
  queues.enterNew([...rows('a', 3), ...rows('b', 3)], [])

  const known = [
    queues.expectEvents(new Set(['a', 'b'])),
    queues.expectEvents(new Set(['a']), (team) => team === 'a'),
    queues.expectEvents(new Set(['a']), (team) => team === 'b'),
  ]

  expect(known).toEqual([true, false, false])
  expect([...queues.expectingTeams]).toEqual(['a'])
})

test('an endpoint that fails or is slow does not hold up the events of its team', () => {
  const { queues } = start()
  queues.enterNew([...rows('a', 3), ...rows('b', 60)], [])
  queues.leave('a', { isOverwhelmed: true, tookMs: 10 })
  for (let n = 0; n < 40; n++) queues.leave('b', { isOverwhelmed: false, tookMs: 2_000 })

  expect(queues.askForNew().limits).toEqual([])
})

test('of endpoints that failed and have nothing to do no more are remembered than a bound', () => {
  const { queues, bring, leave } = start()
  for (let n = 0; n < MAX_REMEMBERED + 50; n++) {
    bring(`${n}`, 1)
    leave(`${n}`, true)
  }
  queues.enter([])

  expect(queues.ask().length).toBeLessThanOrEqual(MAX_REMEMBERED)
})
