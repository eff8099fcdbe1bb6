/** The texts of a new payout batch. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const newPayoutBatchTexts = defineTexts('new-payout-batch', [shared], {
  title: ['New batch', 'Orodha mpya'],
  back: ['Payout batches', 'Kutuma kwa orodha'],
  name: ['Title', 'Kichwa'],
  nameHint: ['For your own overview, such as “Salaries, March”.', 'Kwa kumbukumbu yako, mfano “Mishahara, Machi”.'],
  source: ['How do you add the rows?', 'Utaingizaje mistari?'],
  file: ['File', 'Faili'],
  paste: ['Paste', 'Bandika'],
  drop: ['Drop a CSV file here, or choose one', 'Dondosha faili la CSV hapa, au lichague'],
  dropHint: ['At most 8 MB and 10,000 rows.', 'Lisizidi MB 8 na mistari 10,000.'],
  choose: ['Choose a file', 'Chagua faili'],
  chooseOther: ['Choose another file', 'Chagua faili jingine'],
  chosen: ['{{name}}, {{size}}', '{{name}}, {{size}}'],
  rowsHint: [
    'Copy them from your spreadsheet, with the line of column names above them.',
    'Inakili kutoka kwenye jedwali lako, pamoja na mstari wa majina ya safu ulio juu.',
  ],
  check: ['Check the rows', 'Kagua mistari'],
  checkHint: [
    'Nothing is paid yet: you see every row and all costs first.',
    'Hakuna kinachotumwa bado: kwanza utaona kila mstari na makato yote.',
  ],
  sending: ['Uploading: {{share}}', 'Inapakia: {{share}}'],
  checking: ['Checking the rows …', 'Inakagua mistari …'],
  stop: ['Stop', 'Acha'],
  help: ['What the file contains', 'Faili linatakiwa kuwa na nini'],
  helpText: [
    'A line with the names of the columns, then one line for each person. English and Swahili names work, in any order; a title may stand above, and a column of line numbers beside. The result file of a batch can be uploaded again.',
    'Mstari wenye majina ya safu, kisha mstari mmoja kwa kila mtu. Majina ya Kiswahili na ya Kiingereza yanakubalika, kwa mpangilio wowote; kichwa kinaweza kuwa juu, na safu ya namba za mistari pembeni. Faili la matokeo la orodha linaweza kupakiwa tena.',
  ],
  column: ['Column', 'Safu'],
  content: ['What it contains', 'Ina nini'],
  columns: {
    amount: ['Whole shillings: 10000, 10,000 or 10 000', 'Shilingi kamili: 10000, 10,000 au 10 000'],
    phone_number: ['0754 123 456, 255754123456 or +255754123456', '0754 123 456, 255754123456 au +255754123456'],
    recipient_name: ['The name as registered with the network', 'Jina kama lilivyosajiliwa kwenye mtandao'],
    narration: ['Optional: the purpose, which the recipient may see', 'Si lazima: ni ya nini; mpokeaji anaweza kuiona'],
    reference: ['Optional: your own reference', 'Si lazima: kumbukumbu yako mwenyewe'],
  },
  least: ['At least {{amount}} in each row.', 'Kila mstari angalau {{amount}}.'],
  forms: [
    'The columns are separated by comma, semicolon or tab. In Excel: Save as, “CSV UTF-8”.',
    'Safu zinatenganishwa kwa mkato, nukta mkato au tab. Kwenye Excel: Save as, “CSV UTF-8”.',
  ],
  sample: ['Download a sample', 'Pakua mfano'],
  problem: {
    nothingFile: ['Choose a file first.', 'Chagua faili kwanza.'],
    nothingRows: ['Paste the rows first.', 'Bandika mistari kwanza.'],
    unreadable: [
      'This file cannot be read. It may have been moved or changed since you chose it: choose it again.',
      'Faili hili halisomeki. Huenda limehamishwa au limebadilika tangu ulichague: lichague tena.',
    ],
    payload_too_large: ['This is more than 8 MB. Split it into several batches.', 'Limezidi MB 8. Ligawe kwenye orodha kadhaa.'],
    batch_too_large: [
      'A batch has at most 10,000 rows. Split it into several batches.',
      'Orodha moja ina mistari 10,000 tu. Igawe kwenye orodha kadhaa.',
    ],
    batch_empty: ['There are no rows below the line of column names.', 'Hakuna mistari chini ya mstari wa majina ya safu.'],
    csv_invalid: [
      'Near line {{line}} a quotation mark (") is not closed, or stands inside a cell. Correct that line, then try again.',
      'Karibu na mstari wa {{line}} alama ya nukuu (") haijafungwa, au iko katikati ya maandishi. Irekebishe, kisha ujaribu tena.',
    ],
    csv_invalid_somewhere: [
      'A quotation mark (") is not closed, or stands inside a cell. Correct it, then try again.',
      'Alama ya nukuu (") haijafungwa, au iko katikati ya maandishi. Irekebishe, kisha ujaribu tena.',
    ],
    csv_line_too_long: [
      'A line is much too long: a quotation mark (") may not be closed. Correct it, then try again.',
      'Kuna mstari mrefu mno: huenda alama ya nukuu (") haijafungwa. Irekebishe, kisha ujaribu tena.',
    ],
    file_encoding_unsupported: [
      'The file is not text in UTF-8 or UTF-16, so letters could be wrong. In Excel, save it as “CSV UTF-8”, and choose that file.',
      'Faili si maandishi ya UTF-8 wala UTF-16, kwa hiyo herufi zingeharibika. Kwenye Excel lihifadhi kama “CSV UTF-8”, kisha uchague hilo.',
    ],
    file_type_unsupported: [
      'This is not a CSV file. Open it in your spreadsheet program, save it as “CSV UTF-8”, and choose that file.',
      'Hili si faili la CSV. Lifungue kwenye programu ya majedwali, lihifadhi kama “CSV UTF-8”, kisha uchague hilo.',
    ],
    csv_header_invalid: [
      'A line at the start must name the columns, as in the sample.',
      'Mstari ulio mwanzoni unatakiwa kutaja safu, kama kwenye mfano.',
    ],
    missing: ['Missing: {{names}}.', 'Hazipo: {{names}}.'],
    twice: ['Twice: {{names}}.', 'Mara mbili: {{names}}.'],
    unknown: [
      'Unknown: {{names}}. Rename or delete these columns.',
      'Hazijulikani: {{names}}. Badilisha majina yake au uzifute.',
    ],
  },
})
