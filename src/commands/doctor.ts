import type { Command } from './command.ts'
export const doctor: Command = { name: 'doctor', usage: '', summary: 'x', words: 0, async run() {} }
