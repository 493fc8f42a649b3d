import { isAscii } from 'node:buffer'
import type { Steps } from '../steps.ts'
import { inPieces } from './pieces.ts'
import { TextBuilder } from './text-builder.ts'

const LATIN1_FROM_A0 = Buffer.from(Array.from({ length: 0x60 }, (_, i) => 0xa0 + i)).toString('latin1')

/**
 * The characters of the bytes from 0x80 on, of the encodings that TextDecoder does not know; and of Windows-1252, which that of Node
 * 20.20 reads as ISO 8859-1: quotation marks and the euro sign become control characters.
 */
const UPPER_HALVES: Record<string, string> = {
  'windows-1252': `€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ${LATIN1_FROM_A0}`,
  ibm437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0',
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0',
  ibm852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\xad˝˛ˇ˘§÷¸°¨˙űŘř■\xa0',
}

const unitsOf = new Map(
  Object.entries(UPPER_HALVES).map(([encoding, upperHalf]) => [
    encoding,
    Uint16Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? byte : upperHalf.charCodeAt(byte - 0x80))),
  ]),
)

/** Null when the encoding is none of those. */
export function decodeSingleBytes(encoding: string, bytes: Buffer): Steps<string> | null {
  const units = unitsOf.get(encoding)
  return units ? decodeWith(units, bytes) : null
}

function* decodeWith(units: Uint16Array, bytes: Buffer): Steps<string> {
  if (isAscii(bytes)) return bytes.toString('latin1')
  const text = new TextBuilder(bytes.length)
  yield* inPieces(bytes.length, (start, end) => {
    for (let i = start; i < end; i += 1) text.add(units[bytes[i]!]!)
    return end
  })
  return text.toString()
}
