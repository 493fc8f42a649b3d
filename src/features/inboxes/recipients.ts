import { Problem } from '../../kernel/http/problem.ts'
import { MOST_RECIPIENTS } from './replies/schema.ts'

export const listOf = (given: string | readonly string[] | null | undefined): readonly string[] =>
  typeof given === 'string' ? [given] : (given ?? [])

/** Of to, cc and bcc together. */
export function refuseTooMany(recipients: readonly string[]) {
  if (recipients.length > MOST_RECIPIENTS)
    throw new Problem('validation_error', `There can be ${MOST_RECIPIENTS} recipients in \`to\`, \`cc\` and \`bcc\`.`)
}
