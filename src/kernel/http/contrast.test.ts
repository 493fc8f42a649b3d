import { expect, test } from 'vitest'
import { contrast, textColorOn } from './contrast.ts'

test('contrast is measured as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#abcdef', '#ABCDEF')).toBe(1)
})

test('text can be read on every colour', () => {
  const steps = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, '0'))
  const colors = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))

  expect(colors).toContain('#ffffff')
  expect(colors.filter((color) => contrast(color, textColorOn(color)) < 4.5)).toEqual([])
  expect([textColorOn('#27695a'), textColorOn('#ffdd00')]).toEqual(['#ffffff', '#000000'])
})
