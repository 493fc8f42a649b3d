import { expect, vi } from 'vitest'
import type { Transaction } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../src/kernel/outbox/record.ts'
import { newId } from '../../src/platform/ids.ts'
import type { App, Client } from './app.ts'
import { ObservedList } from './changes.ts'
import { makeGate } from './gate.ts'

export const waitFor = (client: Client, query: Record<string, string | number> = {}) => {
  const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return client.get(`/messages/wait?${new URLSearchParams(given)}`)
}

export const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

/** Resolves when so many calls are held. */
export const held = (app: App, count = 1) =>
  vi.waitFor(() => expect(app.messageWaits.size).toBe(count), { interval: 2, timeout: 45_000 })

/**
 * From now on the time of who waits is over when the test says so, and not by the machine's clock. `held` resolves when so many have looked for
 * what is there and wait.
 */
export function holdWaits(app: App) {
  const ends = new ObservedList<() => void>()
  vi.spyOn(app.messageWaits, 'startTimer').mockImplementation((_ms, end) => {
    ends.push(end)
    return () => {}
  })
  return {
    held: (count = 1) => ends.until(() => expect(ends).toHaveLength(count)),
    end: () => {
      for (const end of ends) end()
    },
  }
}

/** Resolves when nobody asks the database anything. */
export const idle = (app: App) =>
  vi.waitFor(
    () => {
      const { pooled, idle, pipelined } = app.db.load
      expect([pooled - idle, pipelined]).toEqual([0, 0])
    },
    { interval: 2, timeout: 45_000 },
  )

/** Begins a transaction that is kept open until then: what was done in it, and its end. */
export async function beginAndKeep<Result>(app: App, until: Promise<void>, act: (trx: Transaction) => Promise<Result>) {
  let ended: Promise<void> = Promise.resolve()
  const done = await new Promise<Result>((resolve, reject) => {
    ended = app.db.transaction(async (trx) => {
      resolve(await act(trx))
      await until
    })
    ended.catch(reject)
  })
  return [done, ended] as const
}

/** As if another process was about to accept one. */
export async function beginCopy(app: App, team: string, of: string) {
  const id = newId(app.clock.of(team))
  const gate = makeGate()
  await beginAndKeep(app, gate.opened, (trx) => copyEmails(trx, team, of, [id]))
  return { id, commit: gate.open }
}

/** As if another process had accepted them. */
export async function copyEmails(trx: Transaction, team: string, of: string, ids: readonly string[]) {
  const clock = trx.clock.of(team)
  await trx.query(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team_id, given.id, message_id, "from", "to", subject, last_event, created_at
    from emails e, unnest(${ids}::uuid[]) as given (id) where team_id = ${team} and e.id = ${of}`)
  await trx.query(sql`
    insert into outbox (team_id, id, type, data, about, created_at)
    select ${team}, event, 'email.sent', '{}', id, ${clock.now()}
    from unnest(${ids}::uuid[], ${ids.map(() => newId(clock))}::uuid[]) as given (id, event)`)
  trx.announce(OUTBOX_CHANNEL)
}
