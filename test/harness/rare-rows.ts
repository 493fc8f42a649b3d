import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client } from './app.ts'
import { newId } from './ids.ts'
import type { World } from './world.ts'

/** A row of each table that a team comes to only by a long way: an agent with a model, an OpenID provider, a relay that renames messages. */
export async function addRareRows({ db }: App, { team }: Client, world: World, user: string) {
  const { inboxes: inbox, threads: thread, contacts: contact, emails: email, automations: automation } = world
  const [grant, version] = [world.grants, world.versions]
  const bytes = Buffer.from([0, 1, 10, 13, 34, 92, 255])
  await db.query(sql`
    insert into automation_emails (team_id, email_id, automation_id, step_key) values (${team}, ${email}, ${automation}, 'mail')`)
  await db.query(sql`insert into automation_numbers (team_id, automation_id, step_key, name, count) values (${team}, ${automation}, 'mail', 'sent', 3)
    on conflict do nothing`)
  await db.query(
    sql`insert into automation_usage (team_id, month, runs) values (${team}, '2026-11-01', 7) on conflict do nothing`,
  )
  await db.query(sql`
    insert into contact_import_errors (team_id, import_id, id, row_number, column_name, value, reason, record)
    values (${team}, ${world.imports}, ${newId()}, 2, 'email', 'x', 'Not an address.', '{"email" : "x",  "name":"\\u00e9"}')`)
  await db.query(sql`
    insert into contact_import_pieces (team_id, import_id, position, content, created_at)
    values (${team}, ${world.imports}, 0, ${bytes}, now())`)
  await db.query(sql`
    insert into contact_topics (team_id, contact_id, topic_id, subscription, updated_at)
    values (${team}, ${contact}, ${world.topics}, 'opt_out', now()) on conflict do nothing`)
  await db.query(sql`
    insert into domain_reports (team_id, domain_id, kind, reporter, report_id, day, policy, messages, received_at)
    values (${team}, ${world.domains}, 'dmarc', 'reports.example', '1@reports.example', '2026-11-17', 'none', 7, now())`)
  await db.query(sql`
    insert into dmarc_sources (team_id, domain_id, day, reporter, source, origin, disposition, is_spf_aligned, is_dkim_aligned, spf_domain,
      dkim_domain, messages)
    values (${team}, ${world.domains}, '2026-11-17', 'reports.example', '192.0.2.1', 'us', 'none', true, false, 'send.example.com', '', 7)`)
  await db.query(sql`
    insert into tls_report_results (team_id, domain_id, day, reporter, policy_type, result, mx, sessions)
    values (${team}, ${world.domains}, '2026-11-17', 'reports.example', 'sts', 'certificate-expired', 'mx.example.com', 7)`)
  await db.query(sql`
    insert into domain_health (team_id, domain_id, findings, has_problem, checked_at, next_check_at)
    values (${team}, ${world.domains}, '[{"check": "dmarc", "status": "problem", "message": "None.", "since": "2026-11-17T00:00:00.000Z"}]', true, now(), now()) on conflict do nothing`)
  await db.query(sql`
    insert into inbox_agents (team_id, inbox_id, instructions, actions, forward_to, updated_at)
    values (${team}, ${inbox}, 'Line one' || chr(10) || 'line "two"', '{}', '{a@example.com}', now())`)
  await db.query(sql`
    insert into inbox_agent_runs (team_id, id, inbox_id, thread_id, email_id, status, acts, input_tokens, output_tokens, created_at)
    values (${team}, ${newId()}, ${inbox}, ${thread}, ${world.receiving}, 'done', '[]', 10, 20, now())`)
  await db.query(sql`
    insert into inbox_agent_usage (team_id, inbox_id, day, runs, tokens) values (${team}, ${inbox}, '2026-11-17', 1, 9007199254740993)`)
  await db.query(sql`
    insert into inbox_sendings (team_id, email_id, inbox_id, source, sent_draft) values (${team}, ${newId()}, ${inbox}, 'api', '{"a": 1.50}')`)
  await db.query(sql`
    insert into merged_inbox_threads (team_id, id, inbox_id, into_id) values (${team}, ${newId()}, ${inbox}, ${thread})`)
  await db.query(sql`
    insert into message_marks (team_id, message_id, is_read, labels) values (${team}, ${email}, true, '{"a b","c\\"d"}')
    on conflict do nothing`)
  await db.query(sql`
    insert into oauth_clients (id, name, redirect_uris, scopes, grant_types, secret_sha256, kind, created_at)
    values (${`client-${team}`}, 'A program', '{https://example.com/}', '{read}', '{authorization_code}', ${bytes}, 'registered', now())`)
  await db.query(sql`
    insert into oauth_refresh_tokens (token_sha256, team_id, grant_id, scopes, created_at, expires_at)
    values (${Buffer.from(team)}, ${team}, ${grant}, '{read}', now(), now() + interval '1 day')`)
  await db.query(sql`
    insert into oidc_identities (issuer, subject, user_id, created_at) values ('https://example.com', ${user}, ${user}, now())`)
  await db.query(sql`
    insert into relayed_message_ids (team_id, email_id, message_id) values (${team}, ${email}, '<1@relay.example>')`)
  await db.query(sql`
    insert into submitted_messages (team_id, email_id, size, raw, layout, html_bytes) values (${team}, ${email}, 7, ${bytes}, '{}', 0)`)
  await db.query(sql`insert into team_limits (team_id, emails_per_day, updated_at) values (${team}, 100000, now())`)
  await db.query(sql`
    insert into template_variables (team_id, version_id, key, id, position, type, fallback_value, created_at, updated_at)
    values (${team}, ${version}, 'NAME', ${newId()}, 0, 'string', '"you"', now(), now())`)
  const [event] = await db.query<{ id: string }>(sql`select id from outbox where team_id = ${team} order by id limit 1`)
  await db.query(sql`
    insert into webhook_attempts (team_id, webhook_id, event_id, id, error, duration_ms, sent_at)
    values (${team}, ${world.webhooks}, ${world.events!.replace('msg_', '')}, ${newId()}, 'No answer', 7, now())`)
  await db.query(
    sql`insert into automation_events (team_id, event_id) values (${team}, ${event!.id}) on conflict do nothing`,
  )
  await db.query(
    sql`insert into webhook_fan_outs (team_id, event_id) values (${team}, ${event!.id}) on conflict do nothing`,
  )
}
