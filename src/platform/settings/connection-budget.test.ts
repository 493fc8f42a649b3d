import { expect, test } from 'vitest'
import { loadConfig, ROLES } from './config.ts'
import { connectionBudget, type Role } from './connection-budget.ts'

const DATABASE_URL = 'postgres://db.example/mail'
const roleSets: Role[][] = Array.from({ length: 2 ** ROLES.length - 1 }, (_, index) =>
  ROLES.filter((_role, bit) => (index + 1) & (1 << bit)),
)

test('ten processes of any roles fit into 150 connections, with room for reserved ones and for a backup', () => {
  const largest = Math.max(...roleSets.map((roles) => connectionBudget({ ROLES: roles, DATABASE_URL }).max))

  expect(10 * largest).toBeLessThanOrEqual(150 - 3 - 5)
})

test.each([
  [['api'], 12],
  [['delivery'], 10],
  [['jobs'], 13],
  [['smtp'], 10],
  [['api', 'smtp'], 14],
  [[...ROLES], 14],
] as [Role[], number][])('%j: %i connections, and one more on the embedded server', (roles, max) => {
  expect(connectionBudget({ ROLES: roles, DATABASE_URL }).max).toBe(max)
  const { max: embedded, ...parts } = connectionBudget({ ROLES: roles })
  expect(embedded).toBe(max + 1)
  expect(connectionBudget({ ROLES: roles, DATABASE_URL })).toEqual({ max, ...parts })
})

test('the parts add up, and each has something, from the least to the most', () => {
  for (const roles of roleSets)
    for (let connections = roles.length === 1 ? 5 : 6; connections <= 500; connections++) {
      const budget = connectionBudget({ ROLES: roles, DATABASE_URL, DATABASE_CONNECTIONS: connections })
      expect(2 + budget.pipelines + budget.pooled).toBe(budget.sessions)
      expect(budget.sessions).toBe(connections)
      expect(Math.min(budget.pipelines, budget.requests, budget.jobs)).toBeGreaterThan(0)
      expect(budget.pooled).toBeGreaterThan(Math.max(budget.requests, budget.jobs))
    }
})

test.each([
  [{ POSTWREN_ROLES: 'api', POSTWREN_DATABASE_URL: DATABASE_URL }, 5, 'the role api'],
  [{ POSTWREN_ROLES: 'api' }, 6, 'the role api on the embedded PostgreSQL'],
  [{ POSTWREN_ROLES: 'api,smtp', POSTWREN_DATABASE_URL: DATABASE_URL }, 6, 'the roles api, smtp'],
  [{}, 7, 'the roles api, delivery, jobs, smtp on the embedded PostgreSQL'],
])('%j needs %i connections', (settings, least, roles) => {
  const load = (connections: number) =>
    loadConfig({ ...settings, POSTWREN_DATABASE_CONNECTIONS: String(connections) }).DATABASE_CONNECTIONS

  expect(load(least)).toBe(least)
  expect(() => load(least - 1)).toThrow(
    least - 1 < 5
      ? 'POSTWREN_DATABASE_CONNECTIONS must be a whole number from 5 to 500, not `4`.'
      : `POSTWREN_DATABASE_CONNECTIONS must be at least ${least} for a process with ${roles}, not \`${least - 1}\`.`,
  )
})
