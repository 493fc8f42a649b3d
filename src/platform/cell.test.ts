import { expect, test } from 'vitest'
import { newToken } from '../features/api-keys/token.ts'
import { tokenPrefix } from '../kernel/http/auth.ts'
import { cellOfKey, cellsOf } from './cell.ts'
import { claimedTeamOf, LinkSigner } from './links.ts'

test('a key says its cell, and one without a cell says none, whatever its characters are', () => {
  const [plain, ofCell] = [newToken(), newToken({ CELL: 'eu1' })]

  expect(ofCell).toMatch(/^re_eu1_[\w-]{8}_[\w-]{43}$/)
  expect([cellOfKey(ofCell), tokenPrefix(ofCell)]).toEqual(['eu1', ofCell.slice(0, 're_eu1_'.length + 8)])
  expect([cellOfKey(plain), tokenPrefix(plain)]).toEqual([null, plain.slice(0, 11)])
  expect(cellOfKey(`re_eu1_abcd_${'x'.repeat(43)}`)).toBeNull()
})

test('cells of the settings are those beside this one', () => {
  const { own, urls } = cellsOf({ CELL: 'eu1', CELLS: 'eu1=https://eu1.example.com, us1=https://us1.example.com/' })

  expect(own).toBe('eu1')
  expect([...urls]).toEqual([['us1', 'https://us1.example.com']])
})

test('links of another cell are read with its key, also at the host of this one', () => {
  const key = Buffer.alloc(32, 'eu1')
  const eu1 = new LinkSigner([key], cellsOf({ CELL: 'eu1', CELLS: undefined }))
  const us1 = new LinkSigner(
    [Buffer.alloc(32, 'us1'), key],
    cellsOf({ CELL: 'us1', CELLS: 'eu1=https://eu1.example.com' }),
  )
  const token = eu1.sign('view', { team: 'acme' }, null, 'https://eu1.example.com')

  expect(token).toMatch(/^eu1~/)
  expect(claimedTeamOf(token)).toBe('acme')
  expect(us1.readAt('us1.example.com', 'view', token, new Date())).toMatchObject({ team: 'acme' })
  expect(eu1.readAt('elsewhere.example.com', 'view', token, new Date())).toBeNull()
  expect(claimedTeamOf('eu1~nonsense')).toBeNull()
})
