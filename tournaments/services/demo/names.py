"""Names of fictitious people."""

NAMES = (
    *("Ayşe Yıldırım", "Burak Şahin", "Cem Özdemir", "Deniz Aydın", "Elif Kılıç", "Fatih Çelik"),
    *("Gülşen Arslan", "Hakan Öztürk", "Işıl Güneş", "İbrahim Doğan", "Jale Koç", "Kerem Aslan"),
    *("Leyla Polat", "Murat Yıldız", "Nazlı Erdoğan", "Oğuz Kaplan", "Özge Aksoy", "Pınar Şimşek"),
    *("Rıza Taş", "Selin Korkmaz", "Şule Bozkurt", "Tolga Güler", "Umut Ünal", "Ülkü Turan"),
    *("Volkan Acar", "Yasemin Keskin", "Zeynep Ateş", "Ahmet Işık", "Aslı Tekin", "Barış Yalçın"),
    *("Başak Duman", "Can Avcı", "Çağla Bulut", "Çetin Sarı", "Defne Uçar", "Doğan Gündüz"),
    *("Ebru Karaca", "Emre Sönmez", "Esra Uzun", "Ferit Ertaş", "Gizem Toprak", "Gökhan Başaran"),
    *("Hande Soylu", "Hüseyin Kurt", "İlknur Eren", "İpek Durmaz", "Kadir Çakır", "Levent Özer"),
    *("Mehmet Ali Kara", "Melis Tunç", "Mine Bilgin", "Nihat Çoban", "Nur Yavuz", "Orhan Yüce"),
    *(
        "Reyhan Altun",
        "Sevgi Başar",
        "Sinan Oral",
        "Taner Gürsoy",
        "Tuğba Ekinci",
        "Yiğit Demirtaş",
    ),
)
"""The players of the club."""

VISITING_CLUBS = ("Kadıköy Briç ve King", "Üsküdar Kâğıt Kulübü", "Beşiktaş Rıfkıcıları")
"""Clubs of visiting tournament players."""
