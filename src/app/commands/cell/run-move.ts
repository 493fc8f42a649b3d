import { moves } from '../../../features/cells/index.ts'
import { findTeam } from '../../../features/teams/queries.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type CommandFlags, OperatorError, oneLine } from '../command.ts'
import { numberOf, Progress } from '../progress.ts'
import { abortMove, type MoveReport, moveTeam } from './move-team.ts'
import { openSide } from './side.ts'

export async function runMove(input: {
  readonly config: Config
  readonly other: Config
  readonly name: string
  readonly flags: CommandFlags
  print(line: string): void
}) {
  const { config, other, name, flags, print } = input
  const from = await openSide(config, 'this')
  try {
    const to = await openSide(other, 'the other')
    const progress = new Progress()
    try {
      if (from.cell === to.cell) throw new OperatorError(`Both cells are called ${from.cell}.`)
      const team = await requireMovingTeam(from.db, name)
      const lock = await from.client.query('select pg_try_advisory_lock($1) as "isOurs"', [MOVE_LOCK])
      if (!lock.rows[0].isOurs) throw new OperatorError('Another team is being moved from this cell.')
      if (flags.abort) {
        await abortMove({ from, to, team, progress })
        return print(
          flags.json
            ? JSON.stringify({ object: 'cell_move', team, state: 'aborted' })
            : `The team stays in the cell ${from.cell}.`,
        )
      }
      const report = await moveTeam({ from, to, team, progress })
      progress.end()
      if (flags.json) return print(JSON.stringify(objectOf(report, to)))
      for (const line of wordsOf(report, to)) print(line)
    } finally {
      progress.end()
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/** Any number, as long as it stays: one move at a time. */
const MOVE_LOCK = 7_077_104

/** Also one that has moved: the command may have ended before it had deleted what was here. */
async function requireMovingTeam(db: Database, name: string): Promise<string> {
  const team = (await findTeam(db, name)) ?? (await moves.findLeaving(db, name))
  if (team) return team
  throw new OperatorError(`Team ${oneLine(name)} not found in this cell.`)
}

const objectOf = ({ team, rows, heldMs, prefixes }: MoveReport, { cell, url }: { cell: string; url: string }) => ({
  ...{ object: 'cell_move', team, state: 'moved', cell, url, rows },
  ...{ held_seconds: Math.round(heldMs / 100) / 10, key_prefixes: prefixes },
})

function wordsOf({ team, rows, heldMs, prefixes }: MoveReport, { cell, url }: { cell: string; url: string }): string[] {
  return [
    `The team lives in the cell ${cell} now: ${url}. ${numberOf(rows)} rows copied; it was held for ${(heldMs / 1_000).toFixed(1)} s.`,
    `Its id is ${team}. Nothing else of it is left here but what says where it lives.`,
    ...(prefixes.length > 0
      ? ['Lines for the map of keys that HAProxy and nginx route by:', ...prefixes.map((prefix) => `${prefix} ${cell}`)]
      : []),
  ]
}
