import { pooled } from '../../src/kernel/db/database.ts'
import { raw, sql } from '../../src/kernel/db/sql.ts'
import { findFirstBound } from '../../src/kernel/partitions/catalog.ts'
import { attach, createPartition } from '../../src/kernel/partitions/make.ts'
import {
  boundAt,
  momentOfBound,
  nextPeriod,
  PARTITIONED_TABLES,
  type PartitionedTable,
  partitionName,
  periodStart,
  SANDBOXES_BOUND,
} from '../../src/kernel/partitions/tables.ts'
import type { JoinedDatabase } from '../database.ts'

const DAY_MS = 86_400_000

/** Gives a database that has no mail yet the periods of so many days before it was made, as if it had been there all the time. */
export async function makePastPeriods({ db }: Pick<JoinedDatabase, 'db'>, days: number) {
  const begin = new Date(Date.now() - days * DAY_MS)
  for (const table of PARTITIONED_TABLES) {
    const end = await findFirstBound(pooled(db), table)
    const first = boundAt(periodStart(table.unit, begin))
    await db.transaction(async (trx) => {
      const run = (text: string) => trx.query(sql`${raw(text)}`)
      if (table.within) {
        await run('alter table deliveries detach partition deliveries_before')
        await run(`alter table deliveries detach partition ${table.within}`)
        await run(
          `alter table deliveries attach partition deliveries_before for values from (minvalue) to ('${first}')`,
        )
        await run(
          `alter table deliveries attach partition ${table.within} for values from ('${first}') to ('${SANDBOXES_BOUND}')`,
        )
      } else {
        await run(`alter table ${table.name} detach partition ${table.name}_before`)
        await run(
          `alter table ${table.name} attach partition ${table.name}_before for values from (minvalue) to ('${first}')`,
        )
      }
      for (const period of periodsOf(table, { first, end })) {
        await createPartition(trx, table, period.name)
        await attach(trx, table, period)
      }
    })
  }
}

function periodsOf({ name, unit }: PartitionedTable, { first, end }: { first: string; end: string }) {
  const periods: { name: string; from: string; to: string }[] = []
  for (let from = first; from < end; ) {
    const start = momentOfBound(from)
    const next = boundAt(nextPeriod(unit, periodStart(unit, start)))
    const to = next < end ? next : end
    periods.push({ name: partitionName(name, start), from, to })
    from = to
  }
  return periods
}
