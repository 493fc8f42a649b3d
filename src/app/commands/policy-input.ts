import { readFile } from 'node:fs/promises'
import { Policy } from '../../features/policies/schema.ts'
import { setPolicy } from '../../features/policies/write.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { OperatorError, oneLine } from './command.ts'

/** A mistake in it is one line. */
export async function givePolicy(
  trx: Transaction,
  { team, id, isNew = false }: { readonly team: string; readonly id: string; readonly isNew?: boolean },
  policy: Policy | null,
) {
  await plainly(() => setPolicy(trx, { team, policyId: id, holder: 'api_key', isNew }, policy))
}

/** From a file, or as it stands there: JSON begins with a brace. */
export async function readPolicy(given: string): Promise<Policy> {
  const text = given.trimStart().startsWith('{') ? given : await textOf(given)
  return plainly(async () => validate(Policy, parse(text), 'body', 'policy') as Policy)
}

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new OperatorError(`The policy file ${oneLine(path)} cannot be read.`)
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OperatorError('The policy is not valid JSON.')
  }
}

async function plainly<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem ? new OperatorError(error.message) : error
  }
}
