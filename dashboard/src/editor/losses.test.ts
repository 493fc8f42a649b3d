// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { lossesOf } from './losses.ts'

test('an email whose words, links, images and styles are all there has lost nothing', () => {
  const written = '<h1>Hello</h1><p style="color: red"><b>You</b> <a href="https://example.com">here</a></p>'
  const converted = `<table><tr><td><h1 style="margin:0">Hello</h1>
    <p style="margin:0;color:red"><strong>You</strong> <a href="https://example.com" style="color:blue">here</a></p></td></tr></table>`

  expect(lossesOf(written, converted)).toEqual([])
})

test('what is not in the blocks is named', () => {
  const written = `<style>.big{font-size:40px}</style><p class="big" id="top" style="color:red;float:left">Hello you</p>
    <img src="https://example.com/a.png"><a href="https://example.com/gone">x</a><video></video>`

  expect(lossesOf(written, '<p style="color:red">Hello</p>')).toEqual([
    'Text',
    '1 link',
    '1 image',
    '1 inline style',
    '1 class name',
    '1 id',
    'Style sheet',
    '<img>',
    '<a>',
    '<video>',
  ])
})
