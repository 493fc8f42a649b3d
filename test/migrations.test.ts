import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stopsMail } from './harness/migration-rules.ts'

const FOLDER = join(import.meta.dirname, '../migrations')
/** Those before were not written for a service that goes on. */
const FIRST = '0097'

test.each(readdirSync(FOLDER).filter((name) => name >= FIRST))('%s does not stop mail', (name) => {
  expect(stopsMail(readFileSync(join(FOLDER, name), 'utf8'))).toEqual([])
})

test.each([
  ['create index emails_by_topic on emails (topic_id)'],
  ['create unique index if not exists x on outbox_before (id)'],
  ['create index on only deliveries (holder)'],
  ['alter table emails\n  alter column subject set not null'],
  [`alter table deliveries add constraint a check (state <> '')`],
  ['alter table outbox add foreign key (team_id) references teams (id)'],
  ['alter table request_logs add constraint a unique (id)'],
  ['alter table request_logs alter column duration_ms type bigint'],
  [`do $$ begin execute format('alter table %I alter column a set not null', 'emails'); end $$`],
  ['create index concurrently if not exists a on emails (topic_id)'],
  ['-- no transaction\ncreate index concurrently a on emails (topic_id)'],
  ['-- no transaction\ncreate index concurrently if not exists a on emails (topic_id); analyze emails'],
])('%s would', (text) => {
  expect(stopsMail(text)).not.toEqual([])
})

test.each([
  ['-- no transaction\ncreate index concurrently if not exists a on emails (topic_id);'],
  ['alter table emails add column note text'],
  [`alter table deliveries add constraint a check (state <> '') not valid`],
  ['create table emails_of_us (id uuid); create index on emails_of_us (id)'],
  ['create index topics_by_age on topics (created_at)'],
])('%s would not', (text) => {
  expect(stopsMail(text)).toEqual([])
})
