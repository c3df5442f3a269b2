import pytest

from mwem_core.__main__ import main
from mwem_core.tables import USUAL, read_table
from mwem_core.tables.encodings import ALPHABETS, guess_encoding

NAMES = {
    "Danish": ("cp1252", "Sørensen Jørgensen Bjørn Åse Århus København Ærø Næstved Møller Kjær"),
    "German": ("cp1252", "Müller Jürgen Größe Weiß Strauß Köln München Düsseldorf Schröder Österreich"),
    "French": ("cp1252", "Zoé Hélène Orléans Besançon Élodie Benoît François Noël Nîmes Chloé"),
    "Spanish": ("cp1252", "José García Muñoz Peña Niño Martínez López Málaga Ángel Íñigo"),
    "Portuguese": ("cp1252", "São João Conceição Gonçalves António Simões Paraná Brasília Maranhão Goiás"),
    "of many countries": ("cp1252", "Sørensen García Müller Hélène São Åse Muñoz Élodie Weiß João"),
    "Czech": ("cp1250", "Dvořák Růžička Šimůnek Novák Procházka Kučera Veselý Horák Němec Pokorný"),
    "Polish": ("cp1250", "Wałęsa Łódź Dąbrowski Świątek Wójcik Michał Wiśniewski Gdańsk Poznań Bożena"),
    "Hungarian": ("cp1250", "Győr Tőkés Petőfi Kovács Szabó Horváth Molnár Erdős László Székesfehérvár"),
    "German, old Macintosh": (
        "mac_roman",
        "Müller Jürgen Größe Weiß Strauß Köln München Düsseldorf Schröder Österreich",
    ),
    "French, DOS": ("cp850", "Zoé Hélène Orléans Besançon Élodie Benoît François Noël Nîmes Chloé"),
    "Czech, Latin-2": ("iso8859_2", "Dvořák Růžička Šimůnek Novák Žižka Kučera Veselý Horák Němec Pokorný"),
    "Turkish": ("cp1254", "Eskişehir İzmir Muğla Kırşehir kadın Ayşe Çağlar Gökçe Yıldız Işık"),
    "Lithuanian": ("cp1257", "Šiauliai Panevėžys Klaipėda Mažeikiai Žukauskas Petrauskienė Jonaitytė Čepaitis"),
    "Greek": ("cp1253", "Αθήνα Πάτρα Λάρισα Βόλος Χανιά Γιώργος Ελένη Παπαδόπουλος"),
    "Hebrew": ("cp1255", "זכר נקבה חיפה ירושלים אילת נתניה דוד שרה משה רחל כהן לוי רווק נשוי גרוש אלמן"),
    "Arabic": ("cp1256", "القاهرة دمشق بغداد الرباط تونس محمد فاطمة علي"),
    "Thai": ("cp874", "กรุงเทพ เชียงใหม่ ขอนแก่น ภูเก็ต สงขลา สมชาย สมหญิง"),
    "Japanese, EUC": ("euc_jp", "東京 大阪 札幌市 田中さん スズキ 名古屋 山田太郎 ホンダ"),
    "Ukrainian, KOI8": ("koi8_u", "Київ Львів Чернівці Харків Одеса Олена Сергій Іван"),
    "Russian, DOS": ("cp866", "Иванов Петров Санкт-Петербург Новосибирск Анна Чехов Толстой Москва"),
    "Russian, small letters": ("cp1251", "мужской женский холост женат замужем вдова город село"),
    "Russian": ("cp1251", "Иванов Петров Санкт-Петербург Новосибирск Анна Чехов Толстой Москва"),
    "Russian, KOI8": ("koi8_r", "Иванов Петров Санкт-Петербург Новосибирск Анна Чехов Толстой Москва"),
    "Japanese": ("cp932", "東京 大阪 札幌市 田中さん スズキ 名古屋 山田太郎 ホンダ"),
    "Chinese": ("gb18030", "北京 上海 广州 深圳市 王小明 李华 张伟 重庆"),
    "Korean": ("euc_kr", "서울 부산 김철수 이영희 대구광역시 제주도"),
    "Chinese, traditional": ("big5", "高雄市 陳小姐 張先生 林志玲 台北 臺灣 國語"),
}
WESTERN = sorted({name for encoding, names in NAMES.values() if encoding == "cp1252" for name in names.split()})


@pytest.mark.parametrize("copies", [1, 100], ids=["few rows", "many rows"])
@pytest.mark.parametrize(("encoding", "names"), NAMES.values(), ids=NAMES)
def test_a_table_of_names_is_read_in_its_own_encoding(encoding, names, copies):
    names = names.split() * copies
    text = "id,name\n" + "".join(f"{i},{name}\n" for i, name in enumerate(names))
    table = read_table(text.encode(encoding))
    assert table.column("name").to_pylist() == names
    named = table.schema.metadata[b"encoding"].decode()
    assert named == encoding or text.encode(named) == text.encode(encoding), "of the same letters, a usual one is named"


@pytest.mark.parametrize("name", WESTERN)
def test_a_single_western_name_is_not_read_as_another_language(name):
    assert read_table(f"id,name\n1,{name}\n".encode("cp1252")).column("name").to_pylist() == [name]


@pytest.mark.parametrize("name", ["Dvořák", "Růžička", "Wałęsa", "Łódź", "Dąbrowski"])
def test_a_single_name_that_no_western_language_spells_is_central_european(name):
    assert guess_encoding(name.encode("cp1250")) == "cp1250"


@pytest.mark.parametrize(
    "text", ["Köln: 10 m²", "Größe in m³", "¿Qué?", "£500 crème", "½ café", "20 °C, Zürich", "I don’t", "we’re “other”"]
)
def test_symbols_beside_western_words_do_not_change_the_guess(text):
    assert guess_encoding("\n".join([text] * 5).encode("cp1252")) == "cp1252"


@pytest.mark.parametrize("language", ALPHABETS)
def test_a_usual_encoding_has_all_letters_of_a_language(language):
    letters = ALPHABETS[language].replace("\u0307", "")
    assert not any(letter.isascii() for letter in letters)
    assert any(letters.encode(encoding, "ignore").decode(encoding) == letters for encoding in USUAL)


@pytest.mark.parametrize("text", [bytes(range(128, 256)), "Köln\n".encode() + "Köln\n".encode("cp1252")])
def test_bytes_of_no_encoding_or_of_two_are_not_guessed(text):
    assert guess_encoding(text) is None


def test_a_guess_is_said(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes("пол,город\nмужской,Тверь\nженский,Самара\n".encode("cp1251"))
    main(["schema", "--table", str(tmp_path / "t.csv")])
    assert "Read as cp1251, as it is not UTF-8: --encoding names another." in capsys.readouterr().err
