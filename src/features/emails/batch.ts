import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { keepsMail } from '../../platform/settings/config.ts'
import { judgeNow } from '../policies/judging.ts'
import { type PreparedEmail, prepare } from './prepare.ts'
import { type EmailRequest, SendEmail } from './schema.ts'
import type { PreparingServices } from './services.ts'

export interface Batch {
  readonly requests: readonly unknown[]
  readonly mode: 'strict' | 'permissive'
}

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
  services: PreparingServices,
  actor: Actor,
  { requests, mode }: Batch,
): Promise<{ emails: readonly PreparedEmail[]; answer: BatchAnswer }> {
  const prepared: { readonly index: number; readonly email: PreparedEmail }[] = []
  const errors: { index: number; message: string }[] = []
  let charactersLeft = MAX_BATCH_LENGTH
  let begin = performance.now()
  for (const [index, given] of requests.entries()) {
    if (performance.now() - begin > TURN_MS) {
      await nextTurn()
      begin = performance.now()
    }
    try {
      const request = validate(SendEmail, given, 'body')
      refuseAttachments(request)
      const email = await prepare(services, actor, request)
      charactersLeft -= (email.html?.length ?? 0) + (email.text?.length ?? 0)
      if (charactersLeft < 0) throw tooMuch()
      prepared.push({ index, email })
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Problem)) throw error
      errors.push({ index, message: error.message })
    }
  }
  const emails =
    mode === 'permissive' && actor.policyId
      ? await allowedOf(services, prepared, errors)
      : prepared.map(({ email }) => email)
  const data = emails.map(({ id }) => ({ id }))
  return { emails, answer: mode === 'permissive' ? { data, errors } : { data } }
}

/**
 * Leaves out what the policy does not allow of an email by itself, and tells it with its place. What is counted refuses the whole request:
 * which of its emails should go is not for us to say.
 */
async function allowedOf(
  { db, config, publicUrl, sending: { policyRefusals } }: PreparingServices,
  prepared: readonly { readonly index: number; readonly email: PreparedEmail }[],
  errors: { index: number; message: string }[],
): Promise<PreparedEmail[]> {
  const request = { emails: prepared.map(({ email }) => email) }
  const judge = await judgeNow(db, [request], { keepsMail: (team) => keepsMail(config, team) })
  const refusals = judge.objectionsByEmail(request)
  for (const [place, refusal] of refusals.entries())
    if (refusal) errors.push({ index: prepared[place]!.index, message: refusal.at(publicUrl()).message })
  errors.sort((a, b) => a.index - b.index)
  await policyRefusals.note(...refusals.flatMap((refusal) => refusal?.refused ?? []))
  return request.emails.filter((_email, place) => !refusals[place])
}

function refuseAttachments({ attachments }: EmailRequest) {
  if (attachments) throw new Problem('validation_error', 'The `attachments` field is not supported in a batch.')
}

const tooMuch = () =>
  new Problem(
    'validation_error',
    `The html and text of a batch can have at most ${MAX_BATCH_LENGTH / (1024 * 1024)} MB in all.`,
  )
