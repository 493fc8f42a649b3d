import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import type { Services } from '../services.ts'
import { type PreparedEmail, prepare } from './prepare.ts'
import { SendEmail } from './schema.ts'
import type { Prepared } from './send.ts'

export interface BatchAnswer {
  data: { id: string }[]
  errors?: { index: number; message: string }[]
}

/** What the html and text of all emails of a batch may have, in characters. Templates make much of little. */
const MAX_BATCH_LENGTH = 20 * 1024 * 1024

/** Longer than this nobody else waits for a batch to be looked at. */
const TURN_MS = 5

/** Strict: one mistake refuses all. Permissive: the others are sent, and each error is reported with its index. */
export async function prepareBatch(
  services: Services,
  actor: Actor,
  requests: readonly unknown[],
  mode: 'strict' | 'permissive',
): Promise<Prepared<BatchAnswer>> {
  const emails: PreparedEmail[] = []
  const errors: { index: number; message: string }[] = []
  let charactersLeft = MAX_BATCH_LENGTH
  let begin = performance.now()
  for (const [index, request] of requests.entries()) {
    if (performance.now() - begin > TURN_MS) {
      await nextTurn()
      begin = performance.now()
    }
    try {
      const email = await prepareOne(services, actor, request)
      charactersLeft -= (email.html?.length ?? 0) + (email.text?.length ?? 0)
      if (charactersLeft < 0) throw tooMuch()
      emails.push(email)
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Problem)) throw error
      errors.push({ index, message: error.message })
    }
  }
  const data = emails.map(({ id }) => ({ id }))
  return { emails, answer: mode === 'permissive' ? { data, errors } : { data } }
}

function prepareOne(services: Services, actor: Actor, given: unknown): Promise<PreparedEmail> {
  const request = validate(SendEmail, given, 'body')
  if (request.attachments) throw new Problem('validation_error', 'The `attachments` field is not supported in a batch.')
  return prepare(services, actor, request)
}

const tooMuch = () =>
  new Problem(
    'validation_error',
    `The html and text of a batch can have at most ${MAX_BATCH_LENGTH / (1024 * 1024)} MB in all.`,
  )
