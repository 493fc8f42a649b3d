import { cancelWaiting, findWaiting, summarizeWaiting } from '../delivery/queue.ts'
import type { Database } from '../platform/db/database.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine } from './command.ts'
import { withDatabase } from './database.ts'

const SHOWN = 20

export const queueList: Command = {
  name: 'queue list',
  usage: '[--due-before TIME] [--json]',
  summary: 'Show the mail of all teams that is due and has not left',
  options: { 'due-before': { type: 'string' }, ...JSON_FLAG },
  words: 0,
  async run({ config, flags, print }) {
    const given = flags['due-before']
    const dueBefore = given === undefined ? null : timeOf(given)
    await withDatabase(config, async (db) => {
      const before = dueBefore ?? db.clock.now()
      if (!flags.json) return show(db, before, print)
      const teams = await summarizeWaiting(db, before)
      print(
        listOf(
          teams.map(({ team, emails, recipients, oldestDueAt, newestDueAt }) => ({
            ...{ team, emails, recipients },
            ...{ oldest_due_at: oldestDueAt, newest_due_at: newestDueAt },
          })),
        ),
      )
    })
  },
}

export const queueCancel: Command = {
  name: 'queue cancel',
  usage: '--due-before TIME',
  summary: 'Cancel the mail of all teams that was due before this time: it has left already, or is not to leave',
  options: { 'due-before': { type: 'string' } },
  words: 0,
  async run({ config, flags, print }) {
    if (flags['due-before'] === undefined)
      throw new OperatorError('Say what to cancel: postwren queue cancel --due-before 2026-01-31T12:00:00Z')
    const dueBefore = timeOf(flags['due-before'])
    await withDatabase(config, async (db) => {
      const canceled = await cancelWaiting(db, dueBefore, db.clock.now())
      print(`Canceled for ${canceled} recipients what was due before ${isoOf(dueBefore)}.`)
    })
  },
}

async function show(db: Database, dueBefore: Date, print: (line: string) => void) {
  const teams = await summarizeWaiting(db, dueBefore)
  if (teams.length === 0) return print('Nothing waits.')
  for (const { team, emails, recipients, oldestDueAt, newestDueAt } of teams)
    print(
      `${team}: ${recipients} recipients of ${emails} emails, due from ${isoOf(oldestDueAt)} to ${isoOf(newestDueAt)}`,
    )
  print('')
  const first = await findWaiting(db, dueBefore, SHOWN)
  for (const { emailId, recipient, subject, dueAt } of first)
    print(`${isoOf(dueAt)}  ${emailId}  ${oneLine(recipient)}  ${oneLine(subject)}`)
  const all = teams.reduce((sum, { recipients }) => sum + recipients, 0)
  if (all > first.length) print(`… and ${all - first.length} more`)
}

/** With a zone, so that nobody's mail depends on where the terminal is. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

function timeOf(text: string | boolean): Date {
  const time = new Date(String(text))
  if (!TIME.test(String(text)) || Number.isNaN(time.getTime()))
    throw new OperatorError(`--due-before must be a time with its zone, like 2026-01-31T12:00:00Z, not \`${text}\`.`)
  return time
}

const isoOf = (time: Date) => time.toISOString().replace(/\.\d+/, '')
