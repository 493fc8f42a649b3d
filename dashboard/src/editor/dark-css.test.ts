import { expect, test } from 'vitest'
import { DEFAULT_DARK, darkColorsIn, withDarkColors } from './dark-css.ts'

test('dark colors are written into the css of a document, read again, changed and taken out', () => {
  const own = '.note{color:red}'
  const dark = withDarkColors(own, DEFAULT_DARK)

  expect(dark).toContain('@media (prefers-color-scheme: dark)')
  expect(dark).toContain(own)
  expect(darkColorsIn(dark)).toEqual(DEFAULT_DARK)

  const changed = withDarkColors(dark, { ...DEFAULT_DARK, text: '#ffffff' })
  expect(darkColorsIn(changed)?.text).toBe('#ffffff')
  expect(changed.match(/prefers-color-scheme/g)).toHaveLength(1)

  expect(withDarkColors(changed, null)).toBe(own)
  expect(darkColorsIn(own)).toBeNull()
})
