import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { startApp } from './harness/app.ts'
import { documentedMetrics, shownMetrics } from './harness/metrics-page.ts'

// What an operator looks at is made of metrics that there are. `test/processes/metrics.test.ts` compares the page with a whole service.

test('every metric is in the table of monitoring.md, with its type and labels', async () => {
  const app = await startApp()

  const shown = shownMetrics(await app.metrics.render())

  const documented = documentedMetrics()
  for (const [name, { type, labels }] of shown) {
    expect([name, documented.get(name)?.type]).toEqual([name, type])
    expect(documented.get(name)!.labels, name).toEqual(expect.arrayContaining([...labels]))
  }
})

test('what is not there has no sample: an alert must not take it for 0', async () => {
  const app = await startApp()
  const samples = async () =>
    (await Promise.all([app.metrics.render(), app.metrics.render('open metrics')])).flatMap((shown) =>
      [...shown.matchAll(/^postwren_certificate_expires_in_seconds (\S+)$/gm)].map(([, value]) => Number(value)),
    )
  await app.db.query(sql.write`delete from certificates`)
  expect(await samples()).toEqual([])

  const expiresAt = new Date(app.clock.now().getTime() + 86_400_000)
  await app.db.query(sql.write`
    insert into certificates (name, certificate, private_key, failures, next_try_at, expires_at, renew_at)
    values ('mail.acme.test', 'x', 'x', 0, ${app.clock.now()}, ${expiresAt}, ${app.clock.now()})`)
  expect((await samples()).map((seconds) => seconds > 86_000)).toEqual([true, true])

  await app.db.query(sql.write`delete from certificates`)
  expect(await samples()).toEqual([])
})

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string }[]
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

const dashboard = JSON.parse(readFileSync('docs/operations/grafana.json', 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
}
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr }))),
  ...dashboard.annotations.list.map(({ expr }) => ({ title: 'Versions', expr })),
]

test('the dashboard has a place for each panel, and asks for metrics that there are', () => {
  const { panels } = dashboard
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_one, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(panels.filter(({ type, targets }) => type !== 'row' && !targets?.length)).toEqual([])

  const documented = documentedMetrics()
  const asked = expressions.flatMap(({ expr }) => expr.match(/\b(?:postwren|process|nodejs)_\w+/g) ?? [])
  const isThere = (name: string) =>
    documented.has(name) || documented.get(name.replace(/_(?:bucket|sum|count)$/, ''))?.type === 'histogram'
  expect(asked.filter((name) => !isThere(name))).toEqual([])
  const labelsIn = (expr: string) =>
    [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name, list]) =>
      [...list!.matchAll(/(\w+)[=!~]+"/g)].map(([, label]) => ({ name: name!, label: label! })),
    )
  const isLabel = ({ name, label }: { name: string; label: string }) =>
    label === 'job' || documented.get(name)?.labels.includes(label)
  expect(expressions.flatMap(({ expr }) => labelsIn(expr)).filter((one) => !isLabel(one))).toEqual([])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)('Prometheus can read each expression of the dashboard (needs promtool)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-dashboard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rules = expressions.map(({ expr }, number) => ({
    record: `dashboard:expression:${number}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'postwren'),
  }))
  const file = join(folder, 'rules.yml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))

  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })

  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
  expect(stdout).toContain(`${rules.length} rules found`)
})
