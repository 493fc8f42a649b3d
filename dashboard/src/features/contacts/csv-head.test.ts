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
    expect((await readColumns(new Blob([text]))).map(({ name }) => name)).toEqual(columns)
  })

  test('come with what the first rows say', async () => {
    const file = new Blob(['email,,size\n\nada@example.com,x,38\n"bob",y\n"two\nlines",z,40\nlast,z,41\n'])

    expect(await readColumns(file)).toEqual([
      { name: 'email', samples: ['ada@example.com', 'bob', 'two\nlines'] },
      { name: 'size', samples: ['38', '40'] },
    ])
  })

  test('only the beginning of a large file is read', async () => {
    const file = new Blob([`email,name\n${'x'.repeat(1_000_000)}`])
    const read: number[] = []
    const slice = file.slice.bind(file)
    file.slice = (start, end) => {
      read.push(Number(end))
      return slice(start, end)
    }

    expect((await readColumns(file)).map(({ name }) => name)).toEqual(['email', 'name'])
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
