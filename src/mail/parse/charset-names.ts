// The encodings that we can read, as TextDecoder calls them or would, each with the other names that mail has for it: of the
// Encoding Standard, of IANA, of programs. They are compared without `x-`, `cs`, the year, and anything but letters and digits.
const ENCODINGS: Record<string, string> = {
  ibm866: 'cp866 866',
  'iso-8859-2': 'latin2 l2 isoir101 isolatin2',
  'iso-8859-3': 'latin3 l3 isoir109 isolatin3',
  'iso-8859-4': 'latin4 l4 isoir110 isolatin4',
  'iso-8859-5': 'cyrillic isoir144 isolatincyrillic',
  'iso-8859-6': 'arabic asmo708 ecma114 isoir127 isolatinarabic iso88596e iso88596i',
  'iso-8859-7': 'greek greek8 ecma118 elot928 isoir126 isolatingreek suneugreek',
  'iso-8859-8': 'hebrew visual logical isoir138 isolatinhebrew iso88598e iso88598i',
  'iso-8859-10': 'latin6 l6 isoir157 isolatin6',
  'iso-8859-13': 'latin7 l7',
  'iso-8859-14': 'latin8 l8',
  'iso-8859-15': 'latin9 latin0 l9 isolatin9',
  'koi8-r': 'koi koi8 cp20866',
  'koi8-u': 'koi8ru cp21866',
  macintosh: 'mac macroman cp10000',
  'x-mac-cyrillic': 'macukrainian cp10007',
  'windows-874': 'cp874 dos874 iso885911 tis620',
  'windows-1250': 'cp1250',
  'windows-1251': 'cp1251',
  'windows-1253': 'cp1253',
  'windows-1254': 'cp1254 iso88599 latin5 l5 isoir148 isolatin5',
  'windows-1255': 'cp1255',
  'windows-1256': 'cp1256',
  'windows-1257': 'cp1257',
  'windows-1258': 'cp1258',
  gbk: 'gb2312 gb231280 chinese isoir58 iso58gb231280 cp936 euccn cngb',
  gb18030: 'cp54936',
  big5: 'big5hkscs cnbig5 cp950 xbig5 big5eten',
  'euc-jp': 'eucpkdfmtjapanese cp51932 ujis',
  'iso-2022-jp': 'iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpms cp50220 cp50221 cp50222 junet jis',
  shift_jis: 'sjis cp932 ms932 windows31j mskanji',
  'euc-kr': 'ksc5601 ksc56011987 ksc56011989 ksc56011992 korean isoir149 cp949 uhc cp51949',
  'iso-2022-kr': 'cp50225',
  'hz-gb-2312': 'hz hzgb cp52936',
  'utf-7': 'unicode11utf7 unicode20utf7 cp65000',
  ibm437: 'cp437 437 pc8codepage437',
  ibm850: 'cp850 850 pc850multilingual',
  ibm852: 'cp852 852',
  'utf-16le': 'utf16 ucs2 unicode unicodefeff iso10646ucs2 cp1200',
  'utf-16be': 'unicodefffe cp1201',
  'utf-8': 'utf8 utf8mb4 unicode11utf8 unicode20utf8 cp65001',
  'windows-1252': 'cp1252 iso88591 latin1 l1 isoir100 isolatin1 cp819 ibm819 ansi',
  // Nobody means ASCII when the text has other characters: the program did not look.
  '': 'usascii ascii us ansix341968 iso646us 646 7bit 8bit unknown unknown8bit default none binary',
}

const encodingOf = new Map(
  Object.entries(ENCODINGS).flatMap(([encoding, others]) =>
    [bare(encoding), ...others.split(' ')].map((name) => [name, encoding] as const),
  ),
)

/** The encoding that is meant, as TextDecoder calls it; empty when none is said, null when the name says nothing to us. */
export function encodingNamed(charset: string): string | null {
  const name = bare(charset.slice(0, 60).toLowerCase())
  return encodingOf.get(name) ?? encodingOf.get(name.replace(/^(?:windows|win|ms|ibm)(?=\d)/, 'cp')) ?? null
}

function bare(charset: string): string {
  return charset
    .trim()
    .replace(/^(?:x-|cs)/, '')
    .replace(/:(?:19|20)\d\d$/, '')
    .replace(/[^a-z0-9]/g, '')
}
