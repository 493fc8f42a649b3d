import { describe, expect, test } from 'vitest'
import { guess, readColumns } from './csv-head.ts'

describe('the columns of a file', () => {
  test.each([
    ['email,first name\nada@example.com,Ada\n', ['email', 'first name']],
    ['email;name;note, and more\r\n', ['email', 'name', 'note, and more']],
    ['email\tname\n', ['email', 'name']],
    ['\uFEFFemail,name\n', ['email', 'name']],
    ['"email","name, with a comma"\n', ['email', 'name, with a comma']],
    ['"two\nlines",email\nx,y\n', ['two\nlines', 'email']],
    ['email,,  ,name', ['email', 'name']],
    ['', []],
  ])('%j', async (text, columns) => {
    expect(await readColumns(new Blob([text]))).toEqual(columns)
  })

  test('only the beginning of a large file is read', async () => {
    const file = new Blob([`email,name\n${'x'.repeat(1_000_000)}`])
    const read: number[] = []
    const slice = file.slice.bind(file)
    file.slice = (start, end) => {
      read.push(Number(end))
      return slice(start, end)
    }

    expect(await readColumns(file)).toEqual(['email', 'name'])
    expect(read).toEqual([65_536])
  })
})

test.each([
  ['E-Mail', 'email'],
  ['Email address', 'email'],
  ['First Name', 'first_name'],
  ['Nachname', 'last_name'],
  ['opted_out', 'unsubscribed'],
  ['emails sent', ''],
  ['plan', ''],
])('a column “%s” probably holds %j', (column, field) => {
  expect(guess(column)).toBe(field)
})
