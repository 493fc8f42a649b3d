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
const named = (item: SlashCommandItem, title: string, description: string): SlashCommandItem => ({
  ...item,
  title,
  description,
  searchTerms: [...(item.searchTerms ?? []), item.title],
})

export const BLOCKS: readonly SlashCommandItem[] = [
  named(TEXT, texts.text, texts.paragraph),
  named(H1, texts.heading1, texts.titleEmail),
  named(H2, texts.heading2, texts.sectionTitle),
  named(H3, texts.heading3, texts.smallTitle),
  named(BULLET_LIST, texts.bulletedList, texts.listWithBullets),
  named(NUMBERED_LIST, texts.numberedList, texts.listWithNumbers),
  named(QUOTE, texts.quote, texts.quotedText),
  named(imageSlashCommand, texts.image, texts.uploadFromYourDevice),
  named(BUTTON, texts.button, texts.linkAsButton),
  named(DIVIDER, texts.divider, texts.horizontalLine),
  named(SECTION, texts.section, texts.groupWithOwnBackground),
  named(TWO_COLUMNS, '2 columns', texts.twoColumnsSideBy),
  named(THREE_COLUMNS, '3 columns', texts.threeColumnsSideBy),
  named(FOUR_COLUMNS, '4 columns', texts.fourColumnsSideBy),
  named(CODE, texts.code, texts.codeWithHighlighting),
]

export const slashItems = (variables: readonly OfferedVariable[]): SlashCommandItem[] => [
  ...BLOCKS,
  ...variables.map(({ name, fallback, from }) => ({
    title: name,
    description: from,
    icon: <Icon name="tag" />,
    category: texts.variables,
    searchTerms: ['variable'],
    command: ({ editor, range }: Parameters<SlashCommandItem['command']>[0]) =>
      editor.chain().focus().insertContentAt(range, { type: CHIP, attrs: { name, fallback } }).run(),
  })),
]
