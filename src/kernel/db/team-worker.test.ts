import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { TeamWorker } from './team-worker.ts'

const teamOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Teams with so many items each, worked off one by one. */
async function startWorker({ items, slots }: { items: readonly number[]; slots: number }) {
  const { db, services } = await startApp()
  const left = new Map(items.map((count, number) => [teamOf(number), count]))
  const turns: number[] = []
  const counts = { looks: 0 }
  const allDone = makeGate()
  const worker = new TeamWorker(
    { db, log: services.log },
    {
      ...{ name: 'test', channels: [], teams: slots, batch: 1, dropped: 'given up' },
      async findTeams({ after, except, limit }) {
        counts.looks++
        const open = [...left].filter(([team, count]) => count > 0 && team > after && !except.includes(team))
        return open.map(([team]) => team).slice(0, limit)
      },
      async work(team) {
        turns.push(Number(team.slice(-12)))
        left.set(team, left.get(team)! - 1)
        // What a database would need: a turn of the event loop.
        await turn()
        if ([...left.values()].every((count) => count === 0)) allDone.open()
        return 'more'
      },
      nameFirst: async () => undefined,
      dropFirst: async () => {},
    },
  )
  onTestFinished(() => worker.stop(1_000))
  return { db, worker, turns, counts, allDone: allDone.opened }
}

test('with as many teams at work as there may be it waits for one to end, and does not spin', async () => {
  const { db, worker, allDone } = await startWorker({ items: Array(12).fill(5), slots: 3 })
  let looks = 0
  const ignore = db.signals.observe(() => looks++)
  await worker.start()
  await allDone
  ignore()

  // Observers are told after each look, and each end of a turn.
  expect(looks).toBeLessThan(12 * 5 * 4)
})

test('teams take turns, one item each, and one look finds many of them', async () => {
  const { worker, turns, counts } = await startWorker({ items: [100, ...Array(29).fill(1)], slots: 3 })
  await worker.runDue()

  expect(turns.slice(0, 30)).toEqual([...Array(30).keys()])
  expect(turns.slice(30)).toEqual(Array(99).fill(0))
  expect(counts.looks).toBeLessThan(110)
})

test('more teams than one look finds have their turns before any has its second', async () => {
  const { worker, turns } = await startWorker({ items: Array(120).fill(2), slots: 3 })
  await worker.runDue()

  expect(turns.slice(0, 120)).toEqual([...Array(120).keys()])
  expect(turns).toHaveLength(240)
})
