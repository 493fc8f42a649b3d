import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { TakenEvent } from './triggers.ts'

/** Counts the first open and the first click of each email that a step has sent. */
export async function countVisits(trx: Transaction, team: string, events: readonly TakenEvent[]) {
  const emailsOf = (name: string) =>
    events.flatMap((event) => (event.name === name && event.about ? [event.about] : []))
  const [opened, clicked] = [emailsOf('resend:email.opened'), emailsOf('resend:email.clicked')]
  if (opened.length === 0 && clicked.length === 0) return
  await trx.query(sql.write`
    with visited as (
      select email_id, automation_id, step_key, not is_opened and email_id = any (${opened}::uuid[]) as is_first_open,
        not is_clicked and email_id = any (${clicked}::uuid[]) as is_first_click
      from automation_emails where team_id = ${team} and email_id = any (${[...opened, ...clicked]}::uuid[])
        and not is_test),
    noted as (
      update automation_emails e set is_opened = is_opened or is_first_open, is_clicked = is_clicked or is_first_click
      from visited v where e.team_id = ${team} and e.email_id = v.email_id and (is_first_open or is_first_click))
    insert into automation_numbers as known (team_id, automation_id, step_key, name, count)
    select ${team}, v.automation_id, step_key, first.name, count(*)
    from visited v
    join automations a on a.team_id = ${team} and a.id = v.automation_id
    cross join lateral (values ('opened', is_first_open), ('clicked', is_first_click)) first (name, is_it)
    where first.is_it
    group by v.automation_id, step_key, first.name
    on conflict (team_id, automation_id, step_key, name) do update set count = known.count + excluded.count`)
}
