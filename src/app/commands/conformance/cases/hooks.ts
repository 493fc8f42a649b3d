import { CaseAborted, type CaseRun, type Json } from '../suite/case-run.ts'
import type { Delivery } from '../suite/receiver.ts'
import { iso, listing, mismatches, object, optional, type Shape, string, uuid } from '../suite/shape.ts'

// Webhooks to the application of the suite, and what comes there.

const WAIT_MS = 20_000

export interface Hook {
  readonly id: string
  readonly secret: string
  readonly path: string
}

/** A webhook to the receiver of this run. */
export async function hookFor(trial: CaseRun, events: readonly string[]): Promise<Hook> {
  const { webhookUrl } = trial.world.options
  if (webhookUrl === null) return trial.skip('the server cannot reach this machine: see --webhook-url')
  const path = `/${trial.fresh('hook')}`
  const body = { endpoint: `${webhookUrl}${path}`, events }
  const { id, signing_secret } = await trial.made('POST /webhooks', { body })
  return { id, secret: String(signing_secret), path: `${new URL(body.endpoint).pathname}` }
}

const parsed = ({ body }: Delivery): Json => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The event of this type about what `isMeant` says: others may happen in the account. */
export async function delivered(
  trial: CaseRun,
  hook: Hook,
  { type, isMeant, nth = 1 }: { type: string; isMeant(data: Json): boolean; nth?: number },
): Promise<Delivery> {
  const { receiver, signal } = trial.world.options
  const found = await receiver.wait(
    (all) =>
      all.filter((one) => {
        const event = parsed(one)
        return one.path === hook.path && event?.type === type && isMeant(event.data ?? {})
      })[nth - 1],
    { withinMs: WAIT_MS, signal },
  )
  if (found !== null) return found
  trial.differs(`webhook ${type}`, {
    expected: 'a request to the endpoint',
    actual: `none within ${WAIT_MS / 1_000} s`,
  })
  throw new CaseAborted(type)
}

export function compare(trial: CaseRun, delivery: Delivery, data: Shape) {
  const event = parsed(delivery)
  const shape = { type: string, created_at: iso, data }
  for (const { path, expected, actual } of mismatches(event, shape))
    trial.differs(`webhook ${event?.type}`, { expected: `${path}: ${expected}`, actual })
}

/** What every event of a sent email says. */
export const EMAIL = {
  email_id: uuid,
  created_at: iso,
  from: string,
  to: listing(string),
  subject: string,
  tags: optional(object),
}
