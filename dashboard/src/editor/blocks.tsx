import { imageSlashCommand } from '@react-email/editor/plugins'
import {
  BULLET_LIST,
  BUTTON,
  CODE,
  DIVIDER,
  FOUR_COLUMNS,
  H1,
  H2,
  H3,
  NUMBERED_LIST,
  QUOTE,
  SECTION,
  type SlashCommandItem,
  TEXT,
  THREE_COLUMNS,
  TWO_COLUMNS,
} from '@react-email/editor/ui'
import { Icon } from '../ui/icons.tsx'
import { CHIP } from './chips.ts'
import type { OfferedVariable } from './suggestion-menu.ts'
import { texts } from './texts.ts'

/** What is said about a block in the list, in place of the library's words. */
const named = (item: SlashCommandItem, words: { title: string; description: string }): SlashCommandItem => ({
  ...item,
  ...words,
  searchTerms: [...(item.searchTerms ?? []), item.title],
})

export const BLOCKS: readonly SlashCommandItem[] = [
  named(TEXT, texts.blocks.text),
  named(H1, texts.blocks.heading1),
  named(H2, texts.blocks.heading2),
  named(H3, texts.blocks.heading3),
  named(BULLET_LIST, texts.blocks.bulletedList),
  named(NUMBERED_LIST, texts.blocks.numberedList),
  named(QUOTE, texts.blocks.quote),
  named(imageSlashCommand, texts.blocks.image),
  named(BUTTON, texts.blocks.button),
  named(DIVIDER, texts.blocks.divider),
  named(SECTION, texts.blocks.section),
  named(TWO_COLUMNS, texts.blocks.twoColumns),
  named(THREE_COLUMNS, texts.blocks.threeColumns),
  named(FOUR_COLUMNS, texts.blocks.fourColumns),
  named(CODE, texts.blocks.code),
]

export const slashItems = (variables: readonly OfferedVariable[]): SlashCommandItem[] => [
  ...BLOCKS,
  ...variables.map(({ name, fallback, from }) => ({
    title: name,
    description: from,
    icon: <Icon name="tag" />,
    category: texts.canvas.variables,
    searchTerms: ['variable'],
    command: ({ editor, range }: Parameters<SlashCommandItem['command']>[0]) =>
      editor.chain().focus().insertContentAt(range, { type: CHIP, attrs: { name, fallback } }).run(),
  })),
]
