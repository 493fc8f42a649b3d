import { expect, test } from 'vitest'
import { ownPath } from './own-path.ts'

test.each([
  '/dashboard',
  '/dashboard/',
  '/dashboard/emails/1?tab=html',
  '/dashboard?link=x',
  '/dashboard/authorize?request=abc',
])('%s is a page of ours', (path) => {
  expect(ownPath(path)).toBe(path)
})

test.each([
  'https://evil.example',
  '//evil.example',
  '/dashboardish',
  '/dashboard/../emails',
  '/dashboard/%2e%2e/emails',
  '/\\evil.example',
  '/dashboard\\..\\..\\evil',
  `/dashboard/${'x'.repeat(2_000)}`,
  undefined,
  ['/dashboard'],
])('%.40s is none', (path) => {
  expect(ownPath(path)).toBe('/dashboard')
})
