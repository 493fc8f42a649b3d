import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import {
  beginWatch,
  endWatch,
  RENEW_EVERY_MS,
  renewWatch,
  type WatchFilter,
  type WatchNotice,
} from '../../../features/emails/delivery/outcomes/attempt-watches.ts'
import { Connector } from '../../../kernel/db/connector.ts'
import { LIMITS } from '../../../kernel/db/limits.ts'
import type { OpenDatabase } from '../../../kernel/db/open.ts'
import { OperatorError } from '../command.ts'

export interface AttemptListener {
  readonly signal: AbortSignal
  /** Of an attempt, or that a process has been found. */
  onNotice(notice: WatchNotice): void
}

/** Tells of attempts of all processes until it is stopped. Whatever ends it, processes stop telling within a minute. */
export async function followAttempts(
  { db, connection }: Pick<OpenDatabase, 'db' | 'connection'>,
  filter: WatchFilter,
  { signal, onNotice }: AttemptListener,
) {
  const channel = `postwren_trace_${randomBytes(8).toString('hex')}`
  const { client } = await new Connector(connection, LIMITS).connect({ name: 'postwren trace' })
  const lost = new AbortController()
  // Without a listener the end of a connection would be the end of the process.
  client.on('error', () => lost.abort())
  client.on('end', () => lost.abort())
  client.on('notification', ({ payload = '' }) => onNotice(JSON.parse(payload)))
  try {
    await client.query(`listen ${channel}`)
    await beginWatch(db, channel, filter)
    await renewUntil(AbortSignal.any([signal, lost.signal]), () => renewWatch(db, channel))
    if (lost.signal.aborted) throw new OperatorError('The connection to the database was lost.')
  } finally {
    await endWatch(db, channel).catch(() => {})
    client.removeAllListeners('end')
    await client.end().catch(() => {})
  }
}

async function renewUntil(signal: AbortSignal, renew: () => Promise<void>) {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  while (!signal.aborted) {
    await Promise.race([stopped, wait(RENEW_EVERY_MS, undefined, { signal }).catch(() => {})])
    if (!signal.aborted) await renew()
  }
}
