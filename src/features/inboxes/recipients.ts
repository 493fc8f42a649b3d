import { Problem } from '../../kernel/http/problem.ts'
import { MAX_RECIPIENTS } from './replies/schema.ts'

export const listOf = (given: string | readonly string[] | null | undefined): readonly string[] =>
  typeof given === 'string' ? [given] : (given ?? [])

/** Of to, cc and bcc together. */
export function refuseTooMany(recipients: readonly string[]) {
  if (recipients.length > MAX_RECIPIENTS)
    throw new Problem(
      'validation_error',
      `There can be at most ${MAX_RECIPIENTS} recipients in \`to\`, \`cc\` and \`bcc\`.`,
    )
}
