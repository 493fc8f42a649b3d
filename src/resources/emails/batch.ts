import type { Context } from '../../http/endpoint.ts'
import { Problem } from '../../http/problem.ts'
import { validate } from '../../http/validate.ts'
import { type PreparedEmail, prepare } from './prepare.ts'
import { SendEmail } from './schema.ts'
import type { Prepared } from './send.ts'

interface BatchAnswer {
  data: { id: string }[]
  errors?: { index: number; message: string }[]
}

/** Strict: one mistake refuses all. Permissive: the others are sent, and each mistake is told with its place. */
export async function prepareBatch(
  context: Context,
  requests: readonly unknown[],
  mode: 'strict' | 'permissive',
): Promise<Prepared<BatchAnswer>> {
  const emails: PreparedEmail[] = []
  const errors: { index: number; message: string }[] = []
  for (const [index, request] of requests.entries()) {
    try {
      emails.push(await prepareOne(context, request))
    } catch (error) {
      if (mode === 'strict' || !(error instanceof Problem)) throw error
      errors.push({ index, message: error.message })
    }
  }
  const data = emails.map(({ id }) => ({ id }))
  return { emails, answer: mode === 'permissive' ? { data, errors } : { data } }
}

function prepareOne(context: Context, given: unknown): Promise<PreparedEmail> {
  const request = validate(SendEmail, given, 'body')
  if (request.attachments) throw new Problem('validation_error', 'The `attachments` field is not supported in a batch.')
  return prepare(context, request)
}
