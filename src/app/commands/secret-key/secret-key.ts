import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { secretKeysOfNodes } from '../../../kernel/db/nodes.ts'
import { needsRetiredKeys, resealColumn } from '../../../kernel/sealed-columns.ts'
import { isKeySet, makeNextKey, settleKeyFiles } from '../../../kernel/secret-key-files.ts'
import {
  deleteRetiredKeys,
  findMark,
  findSecretKeys,
  type KnownKeys,
  listRetiredKeys,
  lockSecretKey,
  markName,
  markOf,
  openSealer,
  replaceSecretKey,
} from '../../../kernel/secrets.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'

// The secret key changes without a gap: every process gets the next one beside the current one (`prepare`, and a restart), then the next one takes over
// (`rotate`), and what the one before has signed goes on being read, until that is given up (`forget`).

export const prepareSecretKey: Command = {
  name: 'secret-key prepare',
  usage: '',
  summary: 'Create the secret key that will take over, beside the current one. Restart every process afterwards',
  words: 0,
  async run({ config, print }) {
    if (config.SECRET_KEY_NEXT)
      throw new OperatorError(
        'POSTWREN_SECRET_KEY_NEXT is set already. Restart every process, then: postwren secret-key rotate',
      )
    if (isKeySet(config))
      return print(
        'POSTWREN_SECRET_KEY is set, so the next key is yours to keep. Make one with `openssl rand -hex 32`, set POSTWREN_SECRET_KEY_NEXT to it for every process, restart them, then: postwren secret-key rotate',
      )
    await withDatabase(config, (db) => requireKeys(db, config))
    makeNextKey(config)
    print(
      `The next secret key is in ${config.DATA_DIR}/secret-key-next. Restart every process, then: postwren secret-key rotate`,
    )
  },
}

export const rotateSecretKey: Command = {
  name: 'secret-key rotate',
  usage: '[--json]',
  summary: 'Let the next secret key take over and seal everything anew with it. Can be run again',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const { PRODUCT } = await import('../../../features/index.ts')
    const result = await withDatabase(config, async (db) => {
      const taken = await takeOver(db, config)
      // It reads the mark again: from here on the key is the new one, whoever let it take over.
      const sealer = await openSealer(db, config)
      const sum = { resealed: 0, unreadable: 0 }
      for (const column of PRODUCT.sealedColumns) {
        const { resealed, unreadable } = await resealColumn(db, sealer, column)
        sum.resealed += resealed
        sum.unreadable += unreadable
      }
      return { key: markName(taken.mark), replaced: taken.replaced, ...sum }
    })
    if (flags.json) return print(JSON.stringify({ object: 'secret_key', ...result }))
    print(
      `${result.replaced ? 'The next secret key has taken over' : 'The secret key is current'} (${result.key}); sealed anew: ${result.resealed}.`,
    )
    if (result.unreadable > 0)
      print(`${result.unreadable} could not be opened with any key, and were left as they are.`)
    if (result.replaced && isKeySet(config))
      print(
        'Now set POSTWREN_SECRET_KEY to it, remove POSTWREN_SECRET_KEY_NEXT, and restart the processes when it suits you.',
      )
  },
}

/** One transaction: there is no moment in which the mark and the keys that are kept do not agree. */
async function takeOver(db: Database, config: Config): Promise<{ mark: Buffer; replaced: boolean }> {
  const done = await db.transaction(async (trx) => {
    await lockSecretKey(trx)
    const { current, next } = await requireKeys(trx, config)
    if (next === undefined) {
      if ((await listRetiredKeys(trx)).length === 0)
        throw new OperatorError('There is no next secret key. Create it: postwren secret-key prepare')
      return { key: current, replaced: false }
    }
    await requireEverywhere(trx, next)
    await replaceSecretKey(trx, { current, next })
    return { key: next, replaced: true }
  })
  settleKeyFiles(config, done.key)
  return { mark: markOf(done.key), replaced: done.replaced }
}

async function requireKeys(db: Queryable, config: Config): Promise<KnownKeys> {
  const keys = findSecretKeys(config, await findMark(db))
  if (!keys) throw new OperatorError('There is no secret key yet: the first start of the service creates it.')
  return keys
}

/** A process without the key could not open what is sealed with it. */
async function requireEverywhere(db: Queryable, next: string) {
  const nodes = await findNodes(db)
  const without = nodes.filter(({ secretKeys }) => !secretKeys.includes(markName(markOf(next))))
  if (without.length === 0) return
  const pids = without.map(({ pid }) => pid).join(', ')
  throw new OperatorError(
    `${without.length === 1 ? 'One process does' : `${without.length} processes do`} not have the next key yet (pid ${pids}). Restart ${without.length === 1 ? 'it' : 'them'} with it first; one that has just ended is forgotten within a minute.`,
  )
}

const findNodes = (db: Queryable) => db.query<{ pid: number; secretKeys: string[] }>(secretKeysOfNodes())

export const listSecretKeys: Command = {
  name: 'secret-key list',
  usage: '[--json]',
  summary: 'List the secret keys by fingerprint: the current one, the next one, and retired ones that still open links',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const keys = await withDatabase(config, async (db) => {
      const { current, next } = await requireKeys(db, config)
      const nodes = await findNodes(db)
      const retired = await listRetiredKeys(db)
      const countOf = (fingerprint: string) => nodes.filter(({ secretKeys }) => secretKeys.includes(fingerprint)).length
      return [{ key: current, state: 'current' }, ...(next ? [{ key: next, state: 'next' }] : [])]
        .map(({ key, state }) => ({ fingerprint: markName(markOf(key)), state, retired_at: null as string | null }))
        .concat(
          retired.map(({ mark, retired_at }) => ({
            fingerprint: markName(mark),
            state: 'retired',
            retired_at: retired_at.toISOString(),
          })),
        )
        .map((key) => ({ ...key, processes: countOf(key.fingerprint) }))
    })
    if (flags.json) return print(listOf(keys))
    const rows = keys.map(({ fingerprint, state, retired_at, processes }) => ({
      FINGERPRINT: fingerprint,
      STATE: state,
      RETIRED: retired_at?.slice(0, 19) ?? '',
      PROCESSES: state === 'retired' ? '' : String(processes),
    }))
    for (const line of tableOf(rows)) print(line)
  },
}

export const forgetSecretKeys: Command = {
  name: 'secret-key forget',
  usage: '--yes',
  summary: 'Delete the retired secret keys: links, return paths and sessions that they signed are no longer accepted',
  options: { yes: { type: 'boolean' } },
  words: 0,
  async run({ config, flags, print }) {
    if (!flags.yes)
      throw new OperatorError(
        'Unsubscribe links, tracked links and bounces of mail from before the last rotation will no longer be accepted, and people sign in again. If that is what you want, add --yes.',
      )
    const { PRODUCT } = await import('../../../features/index.ts')
    const forgotten = await withDatabase(config, async (db) => {
      const sealer = await openSealer(db, config)
      for (const column of PRODUCT.sealedColumns)
        if (await needsRetiredKeys(db, sealer, column))
          throw new OperatorError('Some secrets are still sealed with a retired key. First: postwren secret-key rotate')
      return deleteRetiredKeys(db)
    })
    print(`Retired secret keys deleted: ${forgotten}. Processes that run know them until their next restart.`)
  },
}
